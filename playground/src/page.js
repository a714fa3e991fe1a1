// The page: an editor, what the checker says beside it, the examples, and a link that holds the program.
import { autocompletion } from "@codemirror/autocomplete";
import { setDiagnostics } from "@codemirror/lint";
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, hoverTooltip } from "@codemirror/view";
import { basicSetup } from "codemirror";

import { Asking } from "./asking.js";
import { linked, unlinked } from "./link.js";

const PAUSE = 300; // milliseconds without a change after which the program is checked
const shown = Object.fromEntries(["example", "name", "share", "state", "answer", "explain"].map((id) => [id, document.getElementById(id)]));
const python = new Asking((text) => (shown.state.textContent = text));

// All that stands on the page as text was put there as text: a program of a link cannot write markup.
function element(kind, className, text) {
  const made = document.createElement(kind);
  made.className = className;
  made.textContent = text;
  return made;
}

class Hint extends WidgetType {
  constructor(text, about) {
    super();
    Object.assign(this, { text, about });
  }

  eq(other) {
    return other.text === this.text;
  }

  toDOM() {
    const made = element("span", "hint", this.text);
    made.title = this.about;
    return made;
  }
}

// Marks that an answer sets, and that move with the text until the next answer.
function marks() {
  const set = StateEffect.define();
  const field = StateField.define({
    create: () => Decoration.none,
    update: (old, change) => change.effects.find((each) => each.is(set))?.value ?? old.map(change.changes),
    provide: (own) => EditorView.decorations.from(own),
  });
  return { set, field };
}

const colours = marks();
const hints = marks();

async function colour() {
  const text = editor.state.doc.toString();
  const parts = await python.ask("colours", text);
  if (editor.state.doc.toString() !== text) return;
  const set = Decoration.set(parts.map(([from, to, name]) => Decoration.mark({ class: `shown-${name}` }).range(from, to)));
  editor.dispatch({ effects: colours.set.of(set) });
}

async function check() {
  const text = editor.state.doc.toString();
  const found = await python.ask("check", shown.name.value, text);
  if (editor.state.doc.toString() !== text) return;
  const written = found.hints.map(({ at, text: hint, about }) => Decoration.widget({ widget: new Hint(hint, about), side: 1 }).range(at));
  editor.dispatch({ effects: hints.set.of(Decoration.set(written, true)) });
  editor.dispatch(setDiagnostics(editor.state, found.problems.map(underlined)));
  tell(found);
}

function underlined({ from, to, severity, code, message, fixes }) {
  const actions = fixes.map((fix) => ({
    name: fix.title,
    apply: (view) => view.dispatch({ changes: { from: fix.from, to: fix.to, insert: fix.text } }),
  }));
  return { from, to, severity, source: code, message, actions };
}

function tell({ ok, text, problems }) {
  shown.explain.replaceChildren();
  shown.answer.replaceChildren(...(ok ? [element("pre", "accepted", text)] : []));
  for (const { place, severity, code, message, from } of problems) {
    const item = element("div", `problem ${severity}`, "");
    const head = element("button", "place", `${place} ${severity} ${code}`);
    head.onclick = () => {
      editor.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      editor.focus();
    };
    const more = element("button", "more", "explain");
    more.onclick = async () => {
      const page = element("pre", "explained", await python.ask("explain", code));
      shown.explain.replaceChildren(page);
      page.scrollIntoView();
    };
    item.append(head, more, element("pre", "message", message));
    shown.answer.append(item);
  }
}

// Markdown that holds only paragraphs and code, without the marks of code.
const plain = (text) => text.replaceAll(/^```.*\n?/gmu, "").replaceAll("`", "").trim();

const about = hoverTooltip(async (view, position) => {
  const found = await python.ask("about", position);
  if (found === null || found.to > view.state.doc.length) return null;
  return { pos: found.from, end: found.to, create: () => ({ dom: element("pre", "about", plain(found.text)) }) };
});

async function complete(context) {
  if (!context.explicit && context.matchBefore(/\\\S*/u) === null) return null;
  const found = await python.ask("complete", shown.name.value, context.state.doc.toString(), context.pos);
  if (found.length === 0) return null;
  return { from: found[0].from, filter: false, options: found.map(({ label, text, detail }) => ({ label, apply: text, detail })) };
}

let pause;
function changed() {
  clearTimeout(pause);
  pause = setTimeout(() => {
    const failed = (error) => {
      editor.dispatch(setDiagnostics(editor.state, []));
      shown.answer.replaceChildren(element("pre", "failed", `The program could not be checked here: ${error.message}`));
    };
    colour().catch(() => {}); // the check says why
    check().catch(failed);
  }, PAUSE);
}

const editor = new EditorView({
  parent: document.getElementById("editor"),
  extensions: [
    basicSetup,
    EditorView.lineWrapping,
    colours.field,
    hints.field,
    about,
    autocompletion({ override: [complete] }),
    EditorView.updateListener.of((update) => update.docChanged && changed()),
    EditorView.contentAttributes.of({ "aria-label": "program" }),
  ],
});

function open({ name, text }) {
  shown.name.value = name;
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
}

shown.name.onchange = changed;
shown.share.onclick = async () => {
  history.replaceState(null, "", await linked(shown.name.value, editor.state.doc.toString()));
  shown.state.textContent = "The address holds the program now: copy it.";
};

const examples = await (await fetch("./examples.json")).json();
for (const [title, programs] of Object.entries(examples)) {
  const group = document.createElement("optgroup");
  group.label = title;
  for (const { name } of programs) group.append(new Option(name, name));
  shown.example.append(group);
}
const byName = new Map(Object.values(examples).flat().map((each) => [each.name, each]));
shown.example.onchange = () => open(byName.get(shown.example.value));

const follow = async () => open((await unlinked(location.hash)) ?? byName.get(shown.example.value));
window.onhashchange = follow;
await follow();
