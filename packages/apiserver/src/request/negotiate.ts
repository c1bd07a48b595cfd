import { failure, notAcceptable } from '../api-server-error.ts';

/** The negotiated form of a response. */
export type OutputForm = {
  readonly media: 'json' | 'yaml';
  /** The object itself, or what kubectl prints from, or its metadata only. */
  readonly as: 'Object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** `v1` or `v1beta1` of `meta.k8s.io`, of a Table or PartialObjectMetadata. */
  readonly metaVersion: string;
};

const JSON_OBJECT: OutputForm = { media: 'json', as: 'Object', metaVersion: '' };
const ACCEPTED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const TRANSFORMS = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);
const known = new Map<string, OutputForm | 'unknown media' | undefined>();

/**
 * Negotiates the form of the response; throws 406 when nothing of `Accept` can be served.
 * `streams`: lists and watches. `tables`: everything but create-only resources.
 */
export function negotiate(
  accept: string | undefined,
  { streams = false, tables = true }: { readonly streams?: boolean; readonly tables?: boolean } = {},
): OutputForm {
  if (accept === undefined || accept === '' || accept === 'application/json') return JSON_OBJECT;
  const form = formFor(accept);
  if (form === 'unknown media') throw noRepresentation(streams);
  const had = tables ? form : otherThanTable(form, accept);
  if (had === undefined) throw notAcceptable(ACCEPTED);
  return had;
}

function formFor(accept: string): ReturnType<typeof chooseForm> {
  if (!known.has(accept)) {
    // Clients send a handful of values; a client that sends many others must not fill the memory.
    if (known.size > 100) known.clear();
    known.set(accept, chooseForm(parseAccept(accept)));
  }
  return known.get(accept);
}

function otherThanTable(form: OutputForm | undefined, accept: string): OutputForm | undefined {
  if (form?.as !== 'Table') return form;
  const clauses = parseAccept(accept).filter(({ parameters }) => parameters.get('as') !== 'Table');
  return clauses.map(formOf).find((other) => other !== undefined);
}

function chooseForm(clauses: readonly AcceptClause[]): OutputForm | 'unknown media' | undefined {
  const form = clauses.map(formOf).find((found) => found !== undefined);
  const anything = clauses.some(({ type }) => mediaOf(type) !== undefined || ACCEPTED.includes(type));
  return form ?? (anything ? undefined : 'unknown media');
}

/** No media type of ours is accepted at all: in a real server, a router in front of the handlers rejects that. */
function noRepresentation(streams: boolean): Error {
  const types = streams ? [...ACCEPTED, ...STREAMS] : ACCEPTED;
  const message = `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`;
  return failure(406, 'NotAcceptable', message, {});
}

export type AcceptClause = {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
};

/** The clauses of an `Accept` header, best first. */
export function parseAccept(accept: string): AcceptClause[] {
  const clauses = accept.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = new Map(rest.map((part) => splitOnce(part)));
    return { type: type.toLowerCase(), parameters, q: Number(parameters.get('q') ?? 1) };
  });
  return clauses.filter(({ q }) => q > 0).sort((a, b) => b.q - a.q);
}

function splitOnce(part: string): [string, string] {
  const at = part.indexOf('=');
  return at < 0 ? [part, ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
}

function formOf({ type, parameters }: AcceptClause): OutputForm | undefined {
  const media = mediaOf(type);
  if (media === undefined) return undefined;
  const as = parameters.get('as');
  if (as === undefined) return { media, as: 'Object', metaVersion: '' };
  const metaVersion = parameters.get('v') ?? '';
  if (!TRANSFORMS.has(as) || parameters.get('g') !== 'meta.k8s.io') return undefined;
  if (metaVersion !== 'v1' && metaVersion !== 'v1beta1') return undefined;
  return { media, as: as as OutputForm['as'], metaVersion };
}

function mediaOf(type: string): 'json' | 'yaml' | undefined {
  if (type === 'application/yaml') return 'yaml';
  return type === '*/*' || type === 'application/*' || type === 'application/json' ? 'json' : undefined;
}
