import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  errorText,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseApiVersion,
} from '@kubewright/kube';
import { readDocuments } from '../../kit/read-documents.ts';
import { OperatorError } from '../../operator-error.ts';
import { GROUP } from '../api.ts';
import { manifestName, readManifest } from '../read-manifest.ts';
import { manifestOf } from './plan-apply.ts';

/** Whether objects of a kind have a namespace; undefined for a kind that the cluster does not serve yet. */
export type IsNamespaced = (apiVersion: string, kind: string) => boolean | undefined;

type ReadOptions = {
  readonly namespace: string;
  readonly isNamespaced: IsNamespaced;
  readonly signal: AbortSignal;
};

const MANIFEST = /\.(?:ya?ml|json)$/;

/**
 * The manifests of a file, of all YAML and JSON files below a folder, or of standard input (`-`), in the order of their
 * files. Objects of namespaced kinds get `namespace` where they have none. Throws OperatorError `Usage`, which names the
 * file, for what is no object, for one that is there twice, and where there is none.
 */
export async function readManifests(
  source: string,
  { namespace, isNamespaced, signal }: ReadOptions,
): Promise<readonly JsonObject[]> {
  const seen = new Map<string, string>();
  const manifests: JsonObject[] = [];
  for (const file of await filesOf(source))
    for (const value of (await readDocuments(file, { signal, isFile: file !== source })).flatMap(itemsOf)) {
      const manifest = withNamespace(checked(value, file), namespace, isNamespaced);
      const name = keyOf(manifest);
      const before = seen.get(name);
      if (before !== undefined)
        throw new OperatorError(
          'Usage',
          `${file}: ${manifestName(manifestOf(manifest))} is in ${before} too`,
        );
      seen.set(name, file);
      manifests.push(manifest);
    }
  if (manifests.length === 0)
    throw new OperatorError('Usage', `${source} has no manifests (*.yaml, *.yml, *.json)`);
  return manifests;
}

/** Sorted, so that the same folder gives the same slices. */
async function filesOf(source: string): Promise<readonly string[]> {
  if (source === '-') return [source];
  try {
    if (!(await stat(source)).isDirectory()) return [source];
    const found = await readdir(source, { recursive: true });
    return found
      .filter((name) => MANIFEST.test(name))
      .toSorted()
      .map((name) => join(source, name));
  } catch (error) {
    throw new OperatorError('Usage', `cannot read ${source}: ${errorText(error)}`);
  }
}

function itemsOf(value: Json): readonly Json[] {
  const { kind, items } = isJsonObject(value) ? value : {};
  return kind === 'List' && isJsonArray(items) ? items.flatMap(itemsOf) : [value];
}

function checked(value: Json, file: string): JsonObject {
  if (!isJsonObject(value)) throw new OperatorError('Usage', `${file}: a document is no object`);
  const read = readManifest(manifestOf(value));
  if (typeof read === 'string')
    throw new OperatorError('Usage', `${file}: ${manifestName(manifestOf(value))}: ${read}`);
  const isOwn = parseApiVersion(read.object.apiVersion).group === GROUP;
  if (!isOwn || read.patch !== undefined) return value;
  const what = `${read.object.kind} ${read.object.metadata.name}`;
  throw new OperatorError('Usage', `${file}: ${what} is of ${GROUP} itself; create it with kubectl`);
}

function withNamespace(manifest: JsonObject, namespace: string, isNamespaced: IsNamespaced): JsonObject {
  const metadata = manifest['metadata'] as JsonObject;
  const { apiVersion, kind } = targetOf(manifest);
  if (metadata['namespace'] !== undefined || isNamespaced(apiVersion, kind) !== true) return manifest;
  return { ...manifest, metadata: { ...metadata, namespace } };
}

/** Of a Patch: the kind that it changes. */
function targetOf(manifest: JsonObject): { readonly apiVersion: string; readonly kind: string } {
  const read = readManifest(manifestOf(manifest));
  return typeof read === 'string' ? { apiVersion: '', kind: '' } : read.object;
}

/** A Patch and a manifest of the same object are two. */
function keyOf(manifest: JsonObject): string {
  const { apiVersion, kind, metadata } = manifest;
  const { namespace = '', name = '' } = isJsonObject(metadata) ? metadata : {};
  const { group } = parseApiVersion(typeof apiVersion === 'string' ? apiVersion : '');
  const target = targetOf(manifest);
  return JSON.stringify([group, kind ?? '', target.kind, namespace, name]);
}
