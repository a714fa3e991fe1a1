"use strict";
// Starts `duetpy lsp`, or the command of the setting duetpy.command, and connects the editor with it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const [command, ...args] = workspace.getConfiguration("duetpy").get("command");
  client = new LanguageClient("duetpy", "duetpy", { command, args }, {
    documentSelector: [{ language: "duet" }],
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.duet") },
  });
  return client.start();
};

exports.deactivate = () => client?.stop();
