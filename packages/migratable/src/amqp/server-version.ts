const KEY = Buffer.from('\u0007versionS');
const LENGTH_BYTES = 4;
const LONGEST = 32;

/** `version` of the properties in a `connection.start`; undefined where it has none. */
export function serverVersion(payload: Buffer): string | undefined {
  const at = payload.indexOf(KEY);
  const begin = at + KEY.length + LENGTH_BYTES;
  if (at < 0 || payload.length < begin) return undefined;
  const length = payload.readUInt32BE(begin - LENGTH_BYTES);
  return payload.subarray(begin, begin + Math.min(length, LONGEST)).toString('latin1');
}

/**
 * Whether a quorum queue puts what is nacked before what was not handed out yet, and does not count it: RabbitMQ 4.3 does. That of
 * 3.10 puts it behind all messages; what goes back because its channel is closed comes first there.
 */
export function nacksInPlace(version = ''): boolean {
  const [, major = 0, minor = 0] = (/^(\d{1,4})\.(\d{1,4})/.exec(version) ?? []).map(Number);
  return major > 4 || (major === 4 && minor >= 3);
}
