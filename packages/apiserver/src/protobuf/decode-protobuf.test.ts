import { expect, test } from 'vitest';
import { decodeProtobuf } from './decode-protobuf.ts';

/** What kubectl 1.32 sends for `create configmap a --from-literal=a=1`. */
const CONFIG_MAP =
  '6b3873000a0f0a0276311209436f6e6669674d6170121b0a110a016112001a0022002a00320038004200' +
  '12060a01611201311a002200';

test('a body of kubectl is read as the object that it stands for', () => {
  expect(decodeProtobuf(Buffer.from(CONFIG_MAP, 'hex'))).toMatchObject({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { a: '1' },
  });
});

/** A message: `[number, content]` per field, content being a string, bytes of a message or a whole number below 128. */
function message(...fields: [number, string | Uint8Array | number][]): Uint8Array {
  return Buffer.concat(
    fields.map(([number, content]) => {
      if (typeof content === 'number') return Buffer.from([number * 8, content]);
      const bytes = Buffer.from(content);
      return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
    }),
  );
}

function envelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from('k8s\0'), message([1, message([1, apiVersion], [2, kind])], [2, raw])]);
}

test('embedded structs, quantities, int-or-strings and times take their JSON form', () => {
  const port = message([1, 'http'], [3, 80], [4, message([1, 1], [3, 'web'])]);
  const service = message([1, message([1, 's'], [8, message([1, 1])])], [2, message([1, port])]);
  expect(decodeProtobuf(envelope('v1', 'Service', service))).toEqual({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's', creationTimestamp: '1970-01-01T00:00:01Z' },
    spec: { ports: [{ name: 'http', port: 80, targetPort: 'web' }] },
  });
});

test('a selector of a key carries the name inside itself', () => {
  const selector = message([1, message([1, 'secret'])], [2, 'key']);
  const env = message([1, 'E'], [3, message([4, selector])]);
  const container = message([1, 'c'], [7, env]);
  const pod = message([2, message([2, container])]);
  expect(decodeProtobuf(envelope('v1', 'Pod', pod))).toMatchObject({
    spec: { containers: [{ env: [{ valueFrom: { secretKeyRef: { name: 'secret', key: 'key' } } }] }] },
  });
});

test.each([
  ['what is not protobuf', Buffer.from('{}')],
  ['an unknown kind', envelope('v9', 'Nope', Buffer.alloc(0))],
  ['bytes that end too soon', envelope('v1', 'ConfigMap', Buffer.from([0x0a, 0x7f]))],
])('%s is refused', (_, bytes) => {
  expect(() => decodeProtobuf(bytes)).toThrow();
});
