/** What Go's reflection calls the kinds of decoded JSON. */
const KINDS: Readonly<Record<string, string>> = { number: 'int64', array: 'slice', object: 'map' };

const UNMARSHAL_ERROR = /cannot unmarshal (\w+)(?: (\S+))? into Go (?:struct field \S+|value) of type (\S+)/;

/**
 * A strategic merge patch is not decoded from JSON but converted from maps, by code with other messages for the same
 * errors: this translates a decoder's message into the converter's.
 * Source: `fromUnstructured` of `k8s.io/apimachinery/pkg/runtime/converter.go`.
 */
export function converterMessage(text: string): string {
  if (text.startsWith('illegal base64 data')) return `error decoding from json: ${text}`;
  const [, from = '', literal = '', to = ''] = UNMARSHAL_ERROR.exec(text) ?? [];
  if (from === '') return text;
  return conversionError(/[.eE]/.test(literal) ? 'float64' : (KINDS[from] ?? from), to);
}

function conversionError(source: string, to: string): string {
  if (to.startsWith('[]')) return `cannot restore slice from ${source}`;
  if (to.startsWith('map[')) return `cannot restore map from ${source}`;
  if (to.includes('.')) return `cannot restore struct from: ${source}`;
  // Of scalars Go converts numbers only, and those to numbers and strings.
  const convertible = (source === 'int64' || source === 'float64') && to !== 'bool';
  return convertible ? `cannot convert ${source} to ${to}` : `unrecognized type: ${to}`;
}
