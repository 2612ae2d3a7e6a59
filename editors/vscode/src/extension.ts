// Starts terrace-lsp, and opens beside the source what the server says that a program becomes.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

/** What the server answers to `terrace/becomes` and to the command `terrace.becomes`. */
interface Becomes {
  text: string;
  language: string;
  title: string;
}

/** The forms of `terrace/becomes`, as a person chooses among them. */
const FORMS: readonly { label: string; form: string }[] = [
  { label: "loops (MLIR)", form: "mlir" },
  { label: "IR for cores (MLIR)", form: "cpu" },
  { label: "IR of kernels (MLIR)", form: "gpu" },
  { label: "schedule", form: "schedule" },
  { label: "PTX", form: "ptx" },
  { label: "assembly", form: "asm" },
];

/** The scheme of documents that only exist in the editor. */
const SCHEME = "terrace";

let client: LanguageClient | undefined;

/** The texts that are shown, by their addresses. */
const shown = new Map<string, string>();
const changed = new vscode.EventEmitter<vscode.Uri>();

async function show(made: Becomes): Promise<void> {
  const path = made.title.replace(/[^\w.: -]/g, "_");
  const uri = vscode.Uri.from({ scheme: SCHEME, path });
  shown.set(uri.toString(), made.text);
  changed.fire(uri);
  let document = await vscode.workspace.openTextDocument(uri);
  const known = await vscode.languages.getLanguages();
  if (known.includes(made.language) && document.languageId !== made.language) {
    document = await vscode.languages.setTextDocumentLanguage(document, made.language);
  }
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
    preview: true,
  });
}

function isBecomes(v: unknown): v is Becomes {
  return typeof v === "object" && v !== null && "text" in v && "title" in v && "language" in v;
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("terrace");
  const server: ServerOptions = { command: settings.get<string>("server", "terrace-lsp") };
  const options: LanguageClientOptions = {
    documentSelector: ["mlir", "terrace-formulas", "c"].map((language) => ({ scheme: "file", language })),
    initializationOptions: { ...settings, opensDocuments: true },
    synchronize: { configurationSection: "terrace" },
    middleware: {
      // The code lenses of the server are this command.
      executeCommand: async (command, args, next) => {
        const made: unknown = await next(command, args);
        if (isBecomes(made)) {
          await show(made);
        }
        return made;
      },
    },
  };
  client = new LanguageClient("terrace", "terrace", server, options);
  await client.start();
}

async function showForm(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor) {
    return;
  }
  const chosen = await vscode.window.showQuickPick(FORMS, { placeHolder: "Show as" });
  if (!chosen) {
    return;
  }
  const textDocument = { uri: client.code2ProtocolConverter.asUri(editor.document.uri) };
  try {
    await show(await client.sendRequest<Becomes>("terrace/becomes", { textDocument, form: chosen.form }));
  } catch (e) {
    await vscode.window.showErrorMessage(e instanceof Error ? e.message : String(e));
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: changed.event,
      provideTextDocumentContent: (uri) => shown.get(uri.toString()) ?? "",
    }),
    vscode.workspace.onDidCloseTextDocument((d) => shown.delete(d.uri.toString())),
    vscode.commands.registerCommand("terrace.show", showForm),
    vscode.commands.registerCommand("terrace.restart", async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
