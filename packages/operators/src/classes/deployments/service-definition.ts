import type { ServiceDefinition } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';

/** 64-bit integers and enums are text; lists and maps are never absent. */
const PLAIN = { longs: String, enums: String, arrays: true, objects: true, defaults: true } as const;

/** A service as grpc-js takes it. Messages are plain objects. */
export function serviceDefinition(service: protobuf.Service): ServiceDefinition {
  const path = service.fullName.slice(1);
  return Object.fromEntries(
    service.methodsArray.map((method) => {
      method.resolve();
      const { resolvedRequestType: request, resolvedResponseType: response } = method;
      if (request === null || response === null) throw new TypeError(`${method.fullName} has unknown types`);
      const definition = {
        path: `/${path}/${method.name}`,
        requestStream: method.requestStream === true,
        responseStream: method.responseStream === true,
        requestSerialize: encoder(request),
        requestDeserialize: decoder(request),
        responseSerialize: encoder(response),
        responseDeserialize: decoder(response),
      };
      return [method.name, definition];
    }),
  );
}

function encoder(type: protobuf.Type): (message: Record<string, unknown>) => Buffer {
  return (message) => Buffer.from(type.encode(type.fromObject(message)).finish());
}

function decoder(type: protobuf.Type): (bytes: Buffer) => object {
  return (bytes) => type.toObject(type.decode(bytes), PLAIN);
}
