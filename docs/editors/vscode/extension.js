// Starts the language server of the program and connects it to the documents of the language.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("mercer").get("path");
  const server = { command, args: ["lsp"] };
  client = new LanguageClient("mercer", "Mercer", server, { documentSelector: [{ language: "mercer" }] });
  return client.start();
};

exports.deactivate = () => client?.stop();
