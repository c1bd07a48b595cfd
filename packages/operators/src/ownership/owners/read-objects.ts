import { isJsonArray, isJsonObject, type Json, type JsonObject, type Stored } from '@kubewright/kube';
import { readDocuments } from '../../kit/read-documents.ts';
import { OperatorError } from '../../operator-error.ts';
import type { Target } from './read-target.ts';

type Interruptible = { readonly signal: AbortSignal };

const HOW = 'write the file with: kubectl get KIND NAME -o yaml --show-managed-fields';

/**
 * The objects of a file with their managedFields, or the one that `target` names; `-` is standard input. Throws
 * OperatorError `Usage` where there is none, or none has managedFields.
 */
export async function readObjects(
  file: string,
  { signal }: Interruptible,
  target?: Target,
): Promise<readonly Stored[]> {
  const all = (await readDocuments(file, { signal })).flatMap((value) => objectsIn(value, file));
  const found = target === undefined ? all : all.filter((object) => isNamed(object, target));
  if (found.length === 0)
    throw new OperatorError('Usage', `${file} has no ${target === undefined ? 'objects' : nameOf(target)}`);
  if (found.every(({ metadata }) => metadata.managedFields === undefined))
    throw new OperatorError('Usage', `no object in ${file} has managedFields; ${HOW}`);
  return found;
}

/** The one object of a file, or the one that `target` names. */
export async function readObject(file: string, terminal: Interruptible, target?: Target): Promise<Stored> {
  const [object, ...more] = await readObjects(file, terminal, target);
  if (object !== undefined && more.length === 0) return object;
  throw new OperatorError('Usage', `${file} has several objects; name one as KIND/NAME`);
}

function objectsIn(value: Json, file: string): readonly Stored[] {
  const { kind, items } = isJsonObject(value) ? value : {};
  if (isJsonArray(items) && typeof kind === 'string' && kind.endsWith('List'))
    return items.flatMap((item) => objectsIn(item, file));
  if (isObject(value)) return [value];
  throw new OperatorError('Usage', `${file}: an object needs apiVersion, kind and metadata.name`);
}

/** What these commands read of an object from a server: nothing that a file may lack. */
function isObject(value: Json): value is JsonObject & Stored {
  if (!isJsonObject(value) || !isJsonObject(value['metadata'])) return false;
  const { apiVersion, kind, metadata } = value;
  return [apiVersion, kind, metadata['name']].every((text) => typeof text === 'string' && text !== '');
}

/** A file has no discovery: a kind is named as such, or by its regular plural. */
function isNamed({ kind, metadata }: Stored, target: Target): boolean {
  const [singular, asked] = [kind.toLowerCase(), target.kind.toLowerCase().split('.')[0]];
  const plurals = [`${singular}s`, `${singular}es`, singular.replace(/y$/, 'ies')];
  return metadata.name === target.name && [singular, ...plurals].includes(asked ?? '');
}

function nameOf({ kind, name }: Target): string {
  return `${kind}/${name}`;
}
