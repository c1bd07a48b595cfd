import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import type { ProtoFile } from './proto-files.ts';

// Numbers of google/protobuf/descriptor.proto.
const SCALARS: Readonly<Record<string, number>> = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
};
const MESSAGE = 11;
const ENUM = 14;
const OPTIONAL = 1;
const REPEATED = 3;

/**
 * A file as a FileDescriptorProto, encoded, as reflection sends it. protobufjs' own `toDescriptor` omits imports,
 * shortens names of types and loses `optional`, so that clients cannot read what it makes.
 */
export function fileDescriptor({ name, imports, package: package_, declared }: ProtoFile): Uint8Array {
  const of = <T extends protobuf.ReflectionObject>(kind: new (...args: never[]) => T): T[] =>
    declared.filter((each): each is T => each instanceof kind);
  const message = {
    name,
    package: package_,
    dependency: imports,
    syntax: 'proto3',
    messageType: of(protobuf.Type).map((type) => messageOf(type)),
    enumType: of(protobuf.Enum).map((each) => enumOf(each)),
    service: of(protobuf.Service).map((service) => serviceOf(service)),
  };
  const { FileDescriptorProto } = descriptor;
  return FileDescriptorProto.encode(FileDescriptorProto.fromObject(message)).finish();
}

function messageOf(type: protobuf.Type): object {
  const { fieldsArray, nestedArray, oneofsArray } = type;
  const oneofs = oneofsArray.toSorted((a, b) => Number(isSynthetic(a)) - Number(isSynthetic(b)));
  return {
    name: type.name,
    field: fieldsArray.map((field) => fieldOf(field, oneofs)),
    nestedType: [
      ...nestedArray.filter((each) => each instanceof protobuf.Type).map((each) => messageOf(each)),
      ...fieldsArray.filter((each) => each instanceof protobuf.MapField).map((each) => entryOf(each)),
    ],
    enumType: nestedArray.filter((each) => each instanceof protobuf.Enum).map((each) => enumOf(each)),
    oneofDecl: oneofs.map((oneof) => ({ name: oneof.name })),
    reservedRange: (type.reserved ?? [])
      .filter((range) => typeof range !== 'string')
      .map(([start = 0, end = start]) => ({ start, end: end + 1 })),
  };
}

/** The oneof of one `optional` field. */
function isSynthetic({ fieldsArray }: protobuf.OneOf): boolean {
  return fieldsArray.length === 1 && fieldsArray[0]?.options?.['proto3_optional'] === true;
}

function fieldOf(field: protobuf.Field, oneofs: readonly protobuf.OneOf[]): object {
  const isMap = field instanceof protobuf.MapField;
  const { partOf } = field;
  return {
    name: field.name,
    number: field.id,
    label: isMap || field.repeated ? REPEATED : OPTIONAL,
    ...(isMap
      ? { type: MESSAGE, typeName: `${field.parent?.fullName}.${entryName(field)}` }
      : typeOf(field.type, field.resolvedType)),
    ...(partOf === null ? {} : { oneofIndex: oneofs.indexOf(partOf), proto3Optional: isSynthetic(partOf) }),
  };
}

function typeOf(type: string, resolved: protobuf.Type | protobuf.Enum | null): object {
  if (resolved === null) return { type: SCALARS[type] };
  return { type: resolved instanceof protobuf.Enum ? ENUM : MESSAGE, typeName: resolved.fullName };
}

function entryName({ name }: Pick<protobuf.Field, 'name'>): string {
  const camel = name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `${camel}Entry`;
}

function entryOf(field: protobuf.MapField): object {
  return {
    name: entryName(field),
    field: [
      { name: 'key', number: 1, label: OPTIONAL, ...typeOf(field.keyType, null) },
      { name: 'value', number: 2, label: OPTIONAL, ...typeOf(field.type, field.resolvedType) },
    ],
    options: { mapEntry: true },
  };
}

function enumOf({ name, values }: protobuf.Enum): object {
  return { name, value: Object.entries(values).map(([key, number]) => ({ name: key, number })) };
}

function serviceOf({ name, methodsArray }: protobuf.Service): object {
  const method = methodsArray.map((each) => ({
    name: each.name,
    inputType: each.resolvedRequestType?.fullName,
    outputType: each.resolvedResponseType?.fullName,
    clientStreaming: each.requestStream === true,
    serverStreaming: each.responseStream === true,
  }));
  return { name, method };
}
