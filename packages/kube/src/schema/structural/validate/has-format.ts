/** The string formats that an API server checks, by their names without dashes. Other names are not checked. */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['uri', isRequestUri],
  ['email', (text) => /^(?:[^<>@]*<)?[^\s<>@,;:\\"()[\]]+@[^\s<>@,;:\\"()]+>?$/.test(text)],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && (isIpv4(text) || isIpv6(text))],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', (text) => uuid('[0-9a-f]', '[0-9a-f]').test(text)],
  ['uuid3', (text) => uuid('3', '[0-9a-f]').test(text)],
  ['uuid4', (text) => uuid('4', '[89ab]').test(text)],
  ['uuid5', (text) => uuid('5', '[89ab]').test(text)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', isRgbColor],
  [
    'byte',
    (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text),
  ],
  ['password', () => true],
  ['date', (text) => isRfc3339Date(text)],
  ['datetime', isDateTime],
  ['duration', isDuration],
  ['k8sshortname', isShortName],
  [
    'k8slongname',
    (text) =>
      text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
  ],
]);

/** True if `format` is one that strings are checked against. */
export function isStringFormat(format: string): boolean {
  return formats.has(format.replaceAll('-', ''));
}

/** True if `text` is of `format`, or `format` is not checked. */
export function hasFormat(format: string, text: string): boolean {
  return formats.get(format.replaceAll('-', ''))?.(text) ?? true;
}

function uuid(version: string, variant: string): RegExp {
  const hex = '[0-9a-f]';
  return new RegExp(`^${hex}{8}-?${hex}{4}-?${version}${hex}{3}-?${variant}${hex}{3}-?${hex}{12}$`, 'i');
}

/** Go's `url.ParseRequestURI`: absolute, or an absolute path. */
function isRequestUri(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- Go rejects control characters in a URL
  if (/[\x00-\x1f\x7f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text.split('?')[0] ?? '')) return false;
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/.exec(text);
  if (scheme === null) return text.startsWith('/');
  const host = /^\/\/([^/?]*)/.exec(scheme[2] as string)?.[1] ?? '';
  const afterUser = host.slice(host.lastIndexOf('@') + 1);
  const hasPort = /^[^:]*(?::\d*)?$/.test(afterUser) || /^\[.*\](?::\d*)?$/.test(host);
  return hasPort && !/[ <>"^`{|}\\]/.test(host);
}

function isHostname(text: string): boolean {
  const label = '[a-zA-Z0-9\\p{S}\\p{L}]';
  const pattern = `^(${label}((-?${label}{0,62})?)|(${label}(([a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${label})?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$`;
  if (text.length > 255 || !new RegExp(pattern, 'u').test(text)) return false;
  return text.split('.').every((part) => part.length <= 63);
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,10}$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  if (!text.includes(':')) return false;
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const plain = tail.includes('.') && isIpv4(tail) ? `${text.slice(0, -tail.length)}0:0` : text;
  const halves = plain.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (halves.length > 2 || !groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : groups.length === 8;
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  if (more.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

function isMac(text: string): boolean {
  const pair = /^[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2})*$/;
  const quad = /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})*$/;
  const bytes = text.replaceAll(/[:.-]/g, '').length / 2;
  return (pair.test(text) || quad.test(text)) && [6, 8, 20].includes(bytes);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (total, digit, i) => total + (i + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return (
    Array.from(digits).reduce((total, digit, i) => total + (i % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 ===
    0
  );
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  const known =
    /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
  if (!known.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, i) => {
      const doubled = Number(digit) * (i % 2 === 1 ? 2 : 1);
      return total + (doubled >= 10 ? (doubled % 10) + 1 : doubled);
    }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const part = '\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';
  return new RegExp(`^rgb\\(${part},${part},${part}\\)$`).test(text);
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time);
  const [, hour = '99', minute = '99', second = '99'] = match ?? [];
  return isRfc3339Date(date) && hour <= '23' && minute <= '59' && second <= '59';
}

/** Go's durations (`1h30m`), and words as Scala writes them (`3 days`). */
function isDuration(text: string): boolean {
  if (/^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  const units =
    /^(?:ns|nano.*|nanos.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/;
  return [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].some((match) =>
    units.test((match[1] as string).toLowerCase()),
  );
}

function isShortName(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text);
}

/** True for a full-date of RFC 3339 that exists: `2024-02-29`. */
function isRfc3339Date(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [, year = '', month = '', day = ''] = match;
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
}
