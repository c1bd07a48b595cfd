import { type Json, type JsonObject, setOwn } from '@kubewright/kube';
import { type FieldForm, type MessageTypes, messageTypes } from './message-types.ts';
import { SCALAR_TYPES, text } from './scalar-types.ts';
import { malformed, wireFields, type WireField } from './wire-fields.ts';

const MAGIC = Buffer.from('k8s\0');
/** Deeper than any kind goes; bytes that nest further are not Kubernetes'. */
const DEEPEST = 64;

/**
 * Reads a body of `application/vnd.kubernetes.protobuf` as the JSON object that it stands for, `apiVersion` and `kind`
 * from its envelope. Go clients send built-in kinds so. Throws `Malformed`.
 */
export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) {
    throw malformed('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  let [apiVersion, kind] = ['', ''];
  let raw: Uint8Array = new Uint8Array(0);
  for (const { number, value } of wireFields(bytes.subarray(MAGIC.length))) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === 1) [apiVersion, kind] = typeMeta(value);
    if (number === 2) raw = value;
  }
  const types = messageTypes();
  const message = types.ofKind(apiVersion, kind);
  if (message === undefined) {
    throw malformed(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  }
  const object: Record<string, Json> = { apiVersion, kind };
  readMessage(types, message, raw, object, 0);
  return object;
}

function typeMeta(bytes: Uint8Array): [apiVersion: string, kind: string] {
  const fields = new Map([...wireFields(bytes)].map(({ number, value }) => [number, value]));
  return [text(fields.get(1)), text(fields.get(2))];
}

function readMessage(
  types: MessageTypes,
  message: string,
  bytes: Uint8Array,
  into: Record<string, Json>,
  depth: number,
): void {
  if (depth > DEEPEST) throw malformed('message nests too deep');
  const forms = types.fields(message);
  for (const { number, value } of wireFields(bytes)) {
    const form = forms.get(number);
    if (form === undefined) continue;
    if (form.name === '' && value instanceof Uint8Array)
      readMessage(types, form.message, value, into, depth + 1);
    else readField(types, form, value, into, depth);
  }
}

function readField(
  types: MessageTypes,
  form: FieldForm,
  value: WireField['value'],
  into: Record<string, Json>,
  depth: number,
): void {
  if (form.shape === 'map') {
    readMapEntry(types, form, value, into, depth);
    return;
  }
  const read = readValue(types, form, value, depth);
  if (read === undefined) return;
  if (form.shape === 'one') {
    setOwn(into, form.name, read);
    return;
  }
  const list = Object.hasOwn(into, form.name) ? into[form.name] : undefined;
  if (Array.isArray(list)) list.push(read);
  else setOwn(into, form.name, [read]);
}

/** An entry of a map is a message of its own: key 1, value 2. */
function readMapEntry(
  types: MessageTypes,
  form: FieldForm,
  entry: WireField['value'],
  into: Record<string, Json>,
  depth: number,
): void {
  if (!(entry instanceof Uint8Array)) return;
  const fields = new Map([...wireFields(entry)].map(({ number, value }) => [number, value]));
  const value = readValue(types, form, fields.get(2) ?? new Uint8Array(0), depth);
  if (!Object.hasOwn(into, form.name)) setOwn(into, form.name, {});
  if (value !== undefined) setOwn(into[form.name] as Record<string, Json>, text(fields.get(1)), value);
}

function readValue(
  types: MessageTypes,
  { kind, message }: FieldForm,
  value: WireField['value'],
  depth: number,
): Json | undefined {
  if (!(value instanceof Uint8Array)) return kind === 'o' ? Number(value) !== 0 : value;
  if (kind === 's') return text(value);
  if (kind === 'b') return Buffer.from(value).toString('base64');
  if (kind !== 'm') return SCALAR_TYPES[kind]?.(value);
  const object: Record<string, Json> = {};
  readMessage(types, message, value, object, depth + 1);
  return object;
}
