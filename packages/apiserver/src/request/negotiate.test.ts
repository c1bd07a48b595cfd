import { expect, test } from 'vitest';
import { negotiate } from './negotiate.ts';

test.each([
  [undefined, 'json', 'Object'],
  ['*/*', 'json', 'Object'],
  ['application/yaml', 'yaml', 'Object'],
  ['application/vnd.kubernetes.protobuf,application/json', 'json', 'Object'],
  ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'json', 'Table'],
  ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'json', 'Object'],
  ['application/json;q=0.1,application/yaml', 'yaml', 'Object'],
  ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'json', 'PartialObjectMetadataList'],
])('%s asks for %s, %s', (accept, media, as) => {
  expect(negotiate(accept)).toMatchObject({ media, as });
});

test.each([
  'application/xml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Nope;v=v1;g=meta.k8s.io',
])('nothing of %s can be had', (accept) => {
  expect(() => negotiate(accept)).toThrow(expect.objectContaining({ code: 406 }));
});
