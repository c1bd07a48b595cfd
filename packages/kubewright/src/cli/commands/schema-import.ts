import { writeFile } from 'node:fs/promises';
import { errorText, isJsonObject, type JsonObject, stringifyJson, type Transport } from '@kubewright/kube';
import { importCatalogue, loadCatalogue } from '@kubewright/kube/schema';
import { getJson } from '../../discover/get-json.ts';
import { KubewrightError } from '../../kubewright-error.ts';
import { connect, explainApiError } from '../connect.ts';
import { interruptible } from '../interruptible.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import type { SchemaImportOptions } from '../../command-options.ts';
import type { Terminal } from '../../terminal.ts';

/** `kubewright schema import`: the catalogue of built-in types from a live cluster. */
export async function schemaImport(options: SchemaImportOptions, terminal: Terminal): Promise<void> {
  const { transport: bare, url } = await connect(options, terminal);
  const transport = interruptible(bare, terminal.signal);
  const run = async (): Promise<void> => {
    const documents = await readDocuments(transport);
    // OpenAPI does not say how Go types treat zero values: that part comes from the bundled catalogue.
    const data = importCatalogue(documents, loadCatalogue().data.goTypes);
    await write(options.output, `${stringifyJson(data)}\n`);
    const count = Object.keys(data.definitions).length;
    terminal.out(`${options.output}: ${count} types of Kubernetes ${data.version} from ${url}\n`);
  };
  const end = (): void => void transport.close();
  try {
    await untilInterrupted(terminal.signal, { run, end, leaves: undefined });
  } catch (error) {
    throw explainApiError(error, url);
  } finally {
    await transport.close();
  }
}

async function readDocuments(transport: Transport): Promise<Record<string, JsonObject>> {
  const { paths } = await getJson('/openapi/v3', transport);
  const documents: Record<string, JsonObject> = {};
  for (const [path, entry] of Object.entries(isJsonObject(paths) ? paths : {})) {
    const address = isJsonObject(entry) ? entry['serverRelativeURL'] : undefined;
    if (path.startsWith('api') && typeof address === 'string')
      documents[path] = await getJson(address, transport);
  }
  return documents;
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    const message = `cannot write ${path}: ${errorText(error)}; choose another place with --output`;
    throw new KubewrightError('File', message, { cause: error });
  }
}
