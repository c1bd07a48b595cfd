import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, type Named } from '@kubewright/kube';
import { textIn } from './text-in.ts';

/** From which namespace to which, and who hears of each path that names it. */
export type NamespaceChange = {
  readonly from: string;
  readonly to: string;
  readonly onRename?: (path: string) => void;
};

/** Fields that hold the name of a namespace, or a list of such: `namespace`, `targetNamespace`, `matchNames`. */
const NAMES = /^(?:[a-z]\w*N|n)amespaces?$|^matchNames$/;
/** The label of each namespace with its own name, by which NetworkPolicies and others select it. */
const OWN_NAME = 'kubernetes.io/metadata.name';
/** Annotations and labels with the name of a namespace, as `meta.helm.sh/release-namespace`. */
const NAMING_KEY = /(?:^|[/.-])namespace$/;
/** Names of environment variables with the name of a namespace. */
const NAMING_VARIABLE = /(?:^|_)NAMESPACE$/i;

/**
 * The object with the new namespace wherever it names its own: what it refers to there is restored with it. These are
 * fields by their names, selectors of namespaces, and in texts of any field the forms of {@link textRenamer}. Values of
 * Secrets stay as they are.
 */
export function renameNamespace(object: Named, change: NamespaceChange): Named {
  const rename = renamer(change);
  const { metadata } = object;
  const { labels, annotations } = metadata as JsonObject & Named['metadata'];
  const marks = Object.entries({ labels, annotations }).flatMap(([key, value]): [string, Json][] =>
    isJsonObject(value) ? [[key, rename(value, `metadata.${key}`, '')]] : [],
  );
  const fields = Object.entries(object).map(([key, value]): [string, Json] => {
    const isKept = key === 'metadata' || key === 'apiVersion' || key === 'kind' || isSecretData(object, key);
    return [key, isKept ? value : rename(value, key, key)];
  });
  return {
    ...object,
    ...Object.fromEntries(fields),
    metadata: { ...metadata, ...Object.fromEntries(marks) },
  };
}

function isSecretData({ apiVersion, kind }: Named, key: string): boolean {
  return apiVersion === 'v1' && kind === 'Secret' && (key === 'data' || key === 'stringData');
}

type Rename = (value: Json, path: string, key: string) => Json;

function renamer({ from, to, onRename = () => undefined }: NamespaceChange): Rename {
  const inText = textRenamer(from, to);
  const renamed: Rename = (value, path, key) => {
    if (typeof value === 'string') return text(value, path, isNaming(key));
    if (isJsonArray(value)) return value.map((each, index) => renamed(each, `${path}[${index}]`, key));
    return isJsonObject(value) ? fieldsOf(value, path) : value;
  };
  const text = (value: string, path: string, isName: boolean): string => {
    if (!value.includes(from)) return value;
    const other = isName && value === from ? to : inText(value);
    if (other !== value) onRename(path);
    return other;
  };
  const fieldsOf = (object: JsonObject, path: string): JsonObject => {
    const named = namedField(object);
    const entries = Object.entries(object).map(([key, value]): [string, Json] => [
      key,
      renamed(value, pathOf(path, key), key === named ? OWN_NAME : key),
    ]);
    return Object.fromEntries(entries);
  };
  return renamed;
}

function isNaming(key: string): boolean {
  return key === OWN_NAME || NAMES.test(key) || NAMING_KEY.test(key);
}

/** Of an object that says elsewhere what one of its fields holds: the field with names of namespaces. */
function namedField(object: JsonObject): string | undefined {
  if (getOwn(object, 'key') === OWN_NAME) return 'values';
  return NAMING_VARIABLE.test(textIn(object, 'name')) ? 'value' : undefined;
}

/** A field as people write it. */
export function pathOf(path: string, key: string): string {
  return /^[\w-]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

/**
 * Changes a namespace in a text where nothing else can be meant: hosts of Services (`db.shop.svc`), accounts
 * (`system:serviceaccount:shop:db`, `/ns/shop/sa/db`), and arguments or selectors like `--namespace=shop`, `namespace="shop"`.
 */
export function textRenamer(from: string, to: string): (text: string) => string {
  const name = from.replaceAll(/[^\w]/g, String.raw`\$&`);
  const before = [
    String.raw`[a-z0-9]\.(?=${name}\.svc(?![\w-]))`,
    String.raw`\bsystem:serviceaccount:(?=${name}:)`,
    String.raw`\bsystem:serviceaccounts:`,
    String.raw`/ns/(?=${name}/sa/)`,
    String.raw`namespaces?["']?\s*[=:]\s*["']?`,
  ];
  const pattern = new RegExp(String.raw`(${before.join('|')})${name}(?![\w-])(?!\.(?!svc(?![\w-])))`, 'g');
  return (text) => text.replaceAll(pattern, (_all, prefix: string) => `${prefix}${to}`);
}
