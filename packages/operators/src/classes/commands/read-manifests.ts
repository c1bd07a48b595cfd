import { isJsonObject, type Json } from '@kubewright/kube';
import { readDocuments } from '../../kit/read-documents.ts';
import { OperatorError } from '../../operator-error.ts';
import type { ClassRuntimeConfiguration } from '../api.ts';

/** The ClassRuntimes in a file of YAML documents or JSON; `-` is standard input. Those without a namespace get one. */
export async function readManifests(
  file: string,
  { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal },
): Promise<readonly ClassRuntimeConfiguration[]> {
  const found = (await readDocuments(file, { signal })).map((value) => manifestOf(value, file, namespace));
  if (found.length === 0) throw new OperatorError('Usage', `${file} has no ClassRuntime`);
  return found;
}

function manifestOf(value: Json, file: string, namespace: string): ClassRuntimeConfiguration {
  const { apiVersion, kind, metadata } = isJsonObject(value) ? value : {};
  if (apiVersion !== 'oaas.io/v1alpha1' || kind !== 'ClassRuntime')
    throw new OperatorError('Usage', `${file}: only ClassRuntimes of oaas.io/v1alpha1 can be deployed`);
  if (!isJsonObject(metadata) || typeof metadata['name'] !== 'string')
    throw new OperatorError('Usage', `${file}: metadata.name is required`);
  return { ...(value as object), metadata: { namespace, ...metadata } } as ClassRuntimeConfiguration;
}
