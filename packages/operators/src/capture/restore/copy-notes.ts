import { isJsonArray, isJsonObject, type Json, type JsonObject, type Named } from '@kubewright/kube';
import { namedObject } from './named-object.ts';
import { pathOf, renameNamespace, textRenamer } from './rename-namespace.ts';
import { BUILT_IN_PROFILES, profileOf } from './restore-profiles.ts';
import type { RestoreTarget } from './retargeted.ts';
import { sanitise } from './sanitise.ts';

/** What a user has to know of an object that is restored into another namespace. */
export function copyNotes(
  captured: JsonObject,
  object: Named,
  { from, to, profiles = BUILT_IN_PROFILES }: RestoreTarget,
): readonly string[] {
  if (object.apiVersion === 'v1' && object.kind === 'Namespace') return [];
  const [changed, kept] = [renamedPaths(captured, from, to), keptPaths(object, from)];
  return [
    profileOf(profiles, object)?.note ?? '',
    changed.length === 0 ? '' : `${to} in place of ${from} in ${someOf(changed)}`,
    kept.length === 0 ? '' : `namespace ${from} stays in ${someOf(kept)}`,
  ];
}

/** So many are named. */
const NAMED = 3;

function someOf(paths: readonly string[]): string {
  const more = paths.length > NAMED ? `, and ${paths.length - NAMED} more` : '';
  return `${paths.slice(0, NAMED).join(', ')}${more}`;
}

function renamedPaths(captured: JsonObject, from: string, to: string): readonly string[] {
  const paths: string[] = [];
  const clean = namedObject(sanitise(captured));
  if (clean !== undefined) renameNamespace(clean, { from, to, onRename: (path) => void paths.push(path) });
  return paths;
}

/**
 * Where an object seems to name its old namespace: in hosts like `db.shop`, which may be of the internet, too, and in values
 * of Secrets.
 */
function keptPaths(object: Named, from: string): readonly string[] {
  const names = namer(from);
  const { apiVersion, kind, metadata: _metadata, ...fields } = object;
  const isSecret = apiVersion === 'v1' && kind === 'Secret';
  const find = (value: Json, path: string): readonly string[] => {
    if (typeof value === 'string') {
      const text = isSecret ? Buffer.from(value, 'base64').toString('utf8') : value;
      return names(text) ? [path] : [];
    }
    if (isJsonArray(value)) return value.flatMap((each, index) => find(each, `${path}[${index}]`));
    if (!isJsonObject(value)) return [];
    return Object.entries(value).flatMap(([key, field]) => find(field, pathOf(path, key)));
  };
  return Object.entries(fields).flatMap(([key, value]) => find(value, key));
}

function namer(from: string): (text: string) => boolean {
  const name = from.replaceAll(/[^\w]/g, String.raw`\$&`);
  const short = new RegExp(String.raw`(?<![\w.-])[a-z0-9][a-z0-9-]*\.${name}(?![\w.-])`);
  const inText = textRenamer(from, `${from}-`);
  return (text) => text.includes(from) && (short.test(text) || inText(text) !== text);
}
