import { type Json, formatMicroTime, formatTime, parseJson } from '@kubewright/kube';
import { wireFields, type WireField } from './wire-fields.ts';

/** Reads one of apimachinery's types that are written in JSON other than as objects. Undefined: the zero value. */
export type ReadScalar = (bytes: Uint8Array) => Json | undefined;

/** By the name of the Go type. */
export const SCALAR_TYPES: Readonly<Record<string, ReadScalar>> = {
  Time: (bytes) => time(bytes, formatTime),
  MicroTime: (bytes) => time(bytes, formatMicroTime),
  Quantity: (bytes) => text(fieldsOf(bytes).get(1)),
  FieldsV1: (bytes) => json(fieldsOf(bytes).get(1)),
  RawExtension: (bytes) => json(fieldsOf(bytes).get(1)),
  JSON: (bytes) => json(fieldsOf(bytes).get(1)),
  IntOrString: intOrString,
  Duration: duration,
};

export function text(value: WireField['value'] | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : '';
}

function fieldsOf(bytes: Uint8Array): ReadonlyMap<number, WireField['value']> {
  return new Map([...wireFields(bytes)].map(({ number, value }) => [number, value]));
}

function time(bytes: Uint8Array, format: (date: Date) => string): string | undefined {
  const fields = fieldsOf(bytes);
  if (fields.size === 0) return undefined;
  const [seconds, nanos] = [Number(fields.get(1) ?? 0), Number(fields.get(2) ?? 0)];
  return format(new Date(seconds * 1000 + nanos / 1e6));
}

function json(value: WireField['value'] | undefined): Json | undefined {
  return value instanceof Uint8Array && value.length > 0 ? parseJson(value) : undefined;
}

function intOrString(bytes: Uint8Array): Json {
  const fields = fieldsOf(bytes);
  if (fields.get(1) === 1) return text(fields.get(3));
  const number = fields.get(2) ?? 0;
  return number instanceof Uint8Array ? 0 : number;
}

const NANOS_PER_SECOND = 1e9;

/** Nanoseconds as Go prints a whole number of seconds; kinds use no finer ones. */
function duration(bytes: Uint8Array): string {
  const nanos = Number(fieldsOf(bytes).get(1) ?? 0);
  return `${nanos / NANOS_PER_SECOND}s`;
}
