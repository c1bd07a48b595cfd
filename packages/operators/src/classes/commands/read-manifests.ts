import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { errorText, isJsonObject, type Json } from '@kubewright/kube';
import { parseAllDocuments } from 'yaml';
import { OperatorError } from '../../operator-error.ts';
import type { ClassRuntimeConfiguration } from '../api.ts';

/** The ClassRuntimes in a file of YAML documents or JSON; `-` is standard input. Those without a namespace get one. */
export async function readManifests(
  file: string,
  namespace: string,
): Promise<readonly ClassRuntimeConfiguration[]> {
  const all = parseAllDocuments(await contentOf(file), { version: '1.1', intAsBigInt: false });
  const found = [...all].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new OperatorError('Usage', `${file}: ${error.message}`);
    const value = document.toJS() as Json;
    return value === null ? [] : [manifestOf(value, file, namespace)];
  });
  if (found.length === 0) throw new OperatorError('Usage', `${file} has no ClassRuntime`);
  return found;
}

async function contentOf(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new OperatorError('Usage', `cannot read ${file}: ${errorText(error)}`);
  }
}

function manifestOf(value: Json, file: string, namespace: string): ClassRuntimeConfiguration {
  const { apiVersion, kind, metadata } = isJsonObject(value) ? value : {};
  if (apiVersion !== 'oaas.io/v1alpha1' || kind !== 'ClassRuntime')
    throw new OperatorError('Usage', `${file}: only ClassRuntimes of oaas.io/v1alpha1 can be deployed`);
  if (!isJsonObject(metadata) || typeof metadata['name'] !== 'string')
    throw new OperatorError('Usage', `${file}: metadata.name is required`);
  return { ...(value as object), metadata: { namespace, ...metadata } } as ClassRuntimeConfiguration;
}
