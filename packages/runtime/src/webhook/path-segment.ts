/** A path of a webhook: where its handler is registered, and the segment behind that, which only its callers know. */
export type WebhookPath = { readonly base: string; readonly segment: string | undefined };

/** A lower-case name, as API servers want each segment of a path; 128 random bits. */
const SEGMENT = /^kw-[0-9a-f]{32}$/;

/** A segment with 16 random bytes. */
export function segmentFrom(random: Uint8Array): string {
  return `kw-${Buffer.from(random).toString('hex')}`;
}

export function isSegment(text: string): boolean {
  return SEGMENT.test(text);
}

export function splitPath(path: string): WebhookPath {
  const at = path.lastIndexOf('/');
  const last = path.slice(at + 1);
  return isSegment(last)
    ? { base: at <= 0 ? '/' : path.slice(0, at), segment: last }
    : { base: path, segment: undefined };
}

export function joinPath({ base, segment }: WebhookPath): string {
  if (segment === undefined) return base;
  return base === '/' ? `/${segment}` : `${base}/${segment}`;
}

/** A path or a URL without its segment, if it has one: what may be shown, and compared. */
export function withoutSegment(path: string): string {
  return splitPath(path).base;
}
