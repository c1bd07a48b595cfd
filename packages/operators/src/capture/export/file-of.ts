import { canonicalJson, isJsonObject, type JsonObject, parseApiVersion } from '@kubewright/kube';
import { sha256 } from '../requests/names.ts';

/** File systems allow 255 bytes. */
const LONGEST = 200;
const HASH = 16;

/** What identifies an object: its group, version, kind and name. */
export type Identity = { readonly apiVersion: string; readonly kind: string; readonly name: string };

/** Objects in a checkpoint may be anything. */
export function identityOf({ apiVersion, kind, metadata }: JsonObject): Identity {
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  return { apiVersion: textOf(apiVersion), kind: textOf(kind), name: textOf(name) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : '?';
}

/** The content of an object's file: a line of canonical JSON. */
export function contentOf(object: JsonObject): string {
  return `${canonicalJson(object)}\n`;
}

/** `Deployment.v1.apps/web.json`: a folder and a file whose names lead nowhere else, whatever the object is called. */
export function fileOf({ apiVersion, kind, name }: Identity): string {
  const { group, version } = groupVersionOf(apiVersion);
  return `${safe(`${kind}.${version}.${group || 'core'}`)}/${safe(name)}.json`;
}

function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  try {
    return parseApiVersion(apiVersion);
  } catch {
    return { group: apiVersion, version: '?' };
  }
}

/** A hash keeps cut names apart. A leading dot would hide a file, or lead to another folder. */
function safe(name: string): string {
  const encoded = encodeURIComponent(Buffer.from(name).toString())
    .replace(/^\./, '%2E')
    .replaceAll('*', '%2A');
  return encoded.length <= LONGEST ? encoded : `${encoded.slice(0, LONGEST)}-${sha256(name).slice(0, HASH)}`;
}
