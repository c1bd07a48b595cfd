import {
  defined,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
} from '@kubewright/kube';
import { isSegment } from '../path-segment.ts';

/** A CA of the replicas: former, present or next. Times are milliseconds since 1970, certificates PEM. */
export type Authority = {
  readonly id: string;
  readonly cert: string;
  /** Absent once another CA signs: a former CA never signs again. */
  readonly key?: string;
  readonly notAfter: number;
  /** When the last certificate that it signed expires; 0 when it signed none. Until then API servers must trust it. */
  readonly trustedUntil: number;
};

/** A serving certificate. */
export type Leaf = {
  readonly cert: string;
  readonly key: string;
  readonly notAfter: number;
  /** The authority that signed it. */
  readonly authority: string;
  /** DNS names and addresses that it is valid for. */
  readonly hosts: readonly string[];
};

/** What stands behind the path of each webhook. */
export type PathSegment = {
  readonly value: string;
  /** When it was made, milliseconds since 1970. */
  readonly since: number;
};

/**
 * What the replicas share. The authorities are in the order of their creation: the one that signed `leaf` signs at present,
 * older ones are trusted until their last certificate has expired, a newer one is being added to every caBundle.
 */
export type CertificateBundle = {
  /** Increases with each change: of two bundles the later one counts. */
  readonly generation: number;
  readonly authorities: readonly Authority[];
  readonly leaf: Leaf;
  /** Of webhooks' paths, the newest last: all are accepted. None in a bundle of a release before there were any. */
  readonly segments: readonly PathSegment[];
};

/** The CA certificates for `caBundle`, before base64. */
export function caBundleOf({ authorities }: CertificateBundle): string {
  return authorities.map(({ cert }) => `${cert.trim()}\n`).join('');
}

/** Decodes a bundle; undefined when it is not one. */
export function readBundle(text: string): CertificateBundle | undefined {
  let json: Json;
  try {
    json = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(json)) return undefined;
  const generation = getOwn(json, 'generation');
  const list = getOwn(json, 'authorities');
  const leaf = readLeaf(getOwn(json, 'leaf'));
  if (typeof generation !== 'number' || !isJsonArray(list) || leaf === undefined) return undefined;
  const authorities = list.map(readAuthority).filter((authority) => authority !== undefined);
  const signs = authorities.find(({ id }) => id === leaf.authority);
  if (authorities.length !== list.length || signs?.key === undefined) return undefined;
  return { generation, authorities, leaf, segments: readSegments(getOwn(json, 'segments')) };
}

function readSegments(json: Json | undefined): readonly PathSegment[] {
  if (!isJsonArray(json)) return [];
  return json.flatMap((one) => {
    const [value, since] = isJsonObject(one) ? [text(one, 'value'), count(one, 'since')] : [];
    return value !== undefined && since !== undefined && isSegment(value) ? [{ value, since }] : [];
  });
}

function readAuthority(json: Json): Authority | undefined {
  if (!isJsonObject(json)) return undefined;
  const [id, cert, key] = [text(json, 'id'), text(json, 'cert'), text(json, 'key')];
  const [notAfter, trustedUntil] = [count(json, 'notAfter'), count(json, 'trustedUntil')];
  if (id === undefined || cert === undefined || notAfter === undefined || trustedUntil === undefined)
    return undefined;
  return { id, cert, notAfter, trustedUntil, ...defined({ key }) };
}

function readLeaf(json: Json | undefined): Leaf | undefined {
  if (!isJsonObject(json)) return undefined;
  const [cert, key, authority] = [text(json, 'cert'), text(json, 'key'), text(json, 'authority')];
  const [notAfter, hosts] = [count(json, 'notAfter'), getOwn(json, 'hosts')];
  if (cert === undefined || key === undefined || authority === undefined) return undefined;
  if (notAfter === undefined || !isJsonArray(hosts)) return undefined;
  return { cert, key, authority, notAfter, hosts: hosts.filter((host) => typeof host === 'string') };
}

function text(json: JsonObject, name: string): string | undefined {
  const value = getOwn(json, name);
  return typeof value === 'string' ? value : undefined;
}

function count(json: JsonObject, name: string): number | undefined {
  const value = getOwn(json, name);
  return typeof value === 'number' ? value : undefined;
}
