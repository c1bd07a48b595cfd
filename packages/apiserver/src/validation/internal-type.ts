import { createRequire } from 'node:module';
import { getOwn, type JsonObject } from '@kubewright/kube';

/** A field of a struct as Go writes it; see tools/assets/kubernetes/internal-types. */
export type ShownField = {
  readonly name: string;
  /** A zero value is left out. */
  readonly optional: boolean;
  /** Where the value stands in the v1 object. */
  readonly path: readonly string[];
  readonly form: string;
};

let loaded: JsonObject | undefined;
const parsed = new Map<string, readonly ShownField[]>();

/** The fields of an internal type of Kubernetes 1.36; read from their data file when the first one is shown. */
export function internalType(name: string): readonly ShownField[] {
  let fields = parsed.get(name);
  if (fields === undefined) {
    loaded ??= createRequire(import.meta.url)('@kubewright/apiserver/data/internal-types.json') as JsonObject;
    fields = parseFields(getOwn(loaded, name) as string);
    parsed.set(name, fields);
  }
  return fields;
}

const FIELD = /(\w+)(~?)(?:=([\w.]+))?:(\S+)/g;

function parseFields(text: string): readonly ShownField[] {
  return [...text.matchAll(FIELD)].map(([, name = '', mark, path, form = '']) => ({
    name,
    optional: mark === '~',
    path: (path ?? name.charAt(0).toLowerCase() + name.slice(1)).split('.'),
    form,
  }));
}
