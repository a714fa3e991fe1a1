// Runs the extension with the language client of VS Code, in an editor that consists of what that client asks for. Prints, as JSON,
// which features were registered and what the problems of one open text are.
"use strict";
const Module = require("module");
const [extension, command, text] = process.argv.slice(2);

class Disposable { dispose() {} }
class EventEmitter { constructor() { this.event = () => new Disposable(); } fire() {} dispose() {} }
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(a, b, c, d) { this.start = new Position(a, b); this.end = new Position(c, d); } }
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
class Uri {
  constructor(text) { this.text = text; this.scheme = "file"; this.fsPath = text; }
  toString() { return this.text; }
  static parse(text) { return new Uri(text); }
}
class CancellationTokenSource {
  constructor() { this.token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() }; }
  cancel() {}
  dispose() {}
}

const registered = new Set();
const made = new Proxy({
  set: (uri, problems) => {
    if (!problems || !problems.length) return;
    console.log(JSON.stringify({ registered: [...registered], problems: problems.map(({ code, range }) => [code, range.start]) }));
    ended.deactivate().then(() => process.exit(0));
  },
}, { get: (own, name) => own[name] ?? (() => new Disposable()) });

// What is registered or made is noted; classes that only carry data are made up, and so are events that never come.
const part = (own = {}) => new Proxy(own, {
  get(known, name) {
    if (name in known || typeof name !== "string") return known[name];
    if (/^on(Did|Will)/.test(name)) return () => new Disposable();
    if (/^(register|create)/.test(name)) return () => { registered.add(name); return made; };
    if (/^[A-Z]/.test(name)) return (known[name] = new Proxy(class {}, { get: (type, key) => type[key] ?? key }));
    return undefined;
  },
});

const opened = { uri: new Uri("file:///opened.eps.duet"), languageId: "duet", version: 1, getText: () => text };
const editor = part({
  Disposable, EventEmitter, Position, Range, Diagnostic, Uri, CancellationTokenSource, version: "1.90.0",
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  workspace: part({
    getConfiguration: () => ({ get: (name) => (name === "command" ? JSON.parse(command) : undefined) }),
    textDocuments: [opened], notebookDocuments: [], getWorkspaceFolder: () => undefined,
  }),
  window: part({ visibleTextEditors: [], tabGroups: part({ all: [] }) }),
  languages: part({ match: () => 10 }),
  commands: part(), env: { language: "en", appName: "tests" }, extensions: part({ getExtension: () => undefined, all: [] }),
});

const load = Module._load;
Module._load = function (name, ...rest) { return name === "vscode" ? editor : load.call(this, name, ...rest); };
const ended = require(extension);
ended.activate();
