import type { JsonObject, Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { admissionSuite } from '../support/admission.ts';
import { PATCH } from '../support/api.ts';
import { at, textAt } from '../support/at.ts';
import { patchOf } from '../support/webhook-server.ts';

type Server = { readonly name: string; transport(): Transport };

const DENY = () => ({ allowed: false, status: { message: 'no' } });
const add = (key: string, value: string): JsonObject => patchOf([{ op: 'add', path: `/data/${key}`, value }]);

/** What becomes of the answers of webhooks. */
export function admissionContract(server: () => Server): void {
  const suite = admissionSuite(server, `admission-${process.pid}`);
  const { maps, call, map, register } = suite;

  describe('mutation', () => {
    test('in order, each on what those before it made; also of updates and patches', async () => {
      const [, second = []] = await register(
        'mutating',
        { answering: () => add('first', 'yes') },
        { answering: () => add('second', 'yes') },
      );
      const object = map({ data: { a: '1' } });
      const { body } = await call('POST', maps, object);
      expect(at(second[0], 'object', 'data')).toEqual({ a: '1', first: 'yes' });
      expect(at(body, 'data')).toEqual({ a: '1', first: 'yes', second: 'yes' });
      const path = `${maps}/${object.metadata.name}`;
      const put = await call('PUT', path, { ...object, data: { b: '2' } });
      expect(at(put.body, 'data')).toEqual({ b: '2', first: 'yes', second: 'yes' });
      const patch = await call('PATCH', path, { data: { first: null } }, PATCH.merge);
      expect(at(patch.body, 'data')).toEqual({ b: '2', first: 'yes', second: 'yes' });
    });

    test('what a webhook adds belongs to nobody, not even to who applied', async () => {
      await register('mutating', { answering: () => add('hooked', 'yes') });
      const object = map({ data: { a: '1' } });
      const { body } = await call(
        'PATCH',
        `${maps}/${object.metadata.name}?fieldManager=me`,
        object,
        PATCH.apply,
      );
      expect(at(body, 'data')).toEqual({ a: '1', hooked: 'yes' });
      const fields = at(body, 'metadata', 'managedFields') as JsonObject[];
      expect(fields.map((entry) => [at(entry, 'manager'), at(entry, 'fieldsV1', 'f:data')])).toEqual([
        ['me', { 'f:a': {} }],
      ]);
    });

    test('spoiled managedFields are put back, with a warning', async () => {
      const spoil = patchOf([{ op: 'add', path: '/metadata/managedFields/0/fieldsType', value: 'nonsense' }]);
      await register('mutating', { answering: () => spoil });
      const { body, warnings } = await call('POST', `${maps}?fieldManager=me`, map({ data: { a: '1' } }));
      expect(at(body, 'metadata', 'managedFields', 0, 'fieldsType')).toBe('FieldsV1');
      expect(warnings.join()).toContain('.metadata.managedFields was in an invalid state after admission');
    });

    test('a mutation passes the validation of its kind', async () => {
      await register('mutating', {
        answering: () => patchOf([{ op: 'add', path: '/metadata/labels', value: { '-': '-' } }]),
      });
      const { status, body } = await call('POST', maps, map());
      expect([status, body['reason']]).toEqual([422, 'Invalid']);
    });

    test('who wishes so is asked again when something changed after it was asked, others are not', async () => {
      const echo = (key: string) => (request: JsonObject) =>
        add(key, `saw ${Object.keys(at(request, 'object', 'data') as JsonObject).length}`);
      const [first = [], second = [], third = []] = await register(
        'mutating',
        { answering: echo('a'), with: { reinvocationPolicy: 'IfNeeded' } },
        { answering: echo('b') },
        { answering: () => ({ allowed: true }), with: { reinvocationPolicy: 'IfNeeded' } },
      );
      const { body } = await call('POST', maps, map({ data: { z: '' } }));
      expect([first.length, second.length, third.length]).toEqual([2, 1, 2]);
      expect(at(body, 'data')).toEqual({ a: 'saw 3', b: 'saw 2', z: '' });
    });

    test.each<[string, JsonObject, string]>([
      [
        'of an object that is deleted',
        add('a', 'b'),
        'attempted to modify the object, which is not supported for this operation',
      ],
    ])('%s is an error', async (_title, said, message) => {
      const object = map();
      await call('POST', maps, object);
      await register('mutating', { answering: () => said });
      const { status, body } = await call('DELETE', `${maps}/${object.metadata.name}`);
      expect([status, body['message']]).toEqual([500, expect.stringContaining(message)]);
    });

    test.each<[string, JsonObject, string]>([
      [
        'a patch that does not apply',
        patchOf([{ op: 'remove', path: '/data/no' }]),
        'Internal error occurred: ',
      ],
      [
        'a patch that is none',
        patchOf({ op: 'remove' }),
        'received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
      ],
      [
        'a patch without a type',
        { allowed: true, patch: 'W10=' },
        'received invalid webhook response: webhook returned response.patch but not response.patchType',
      ],
      [
        'a type without a patch',
        { allowed: true, patchType: 'JSONPatch' },
        'received invalid webhook response: webhook returned response.patchType but not response.patch',
      ],
      [
        'another type',
        { allowed: true, patchType: 'Merge', patch: Buffer.from('[{}]').toString('base64') },
        'unsupported patch type "Merge"',
      ],
    ])('%s is an error', async (_title, said, message) => {
      await register('mutating', { answering: () => said });
      const { status, body } = await call('POST', maps, map({ data: { a: '1' } }));
      expect([status, body['reason'], body['message']]).toEqual([
        500,
        'InternalError',
        expect.stringContaining(message),
      ]);
    });
  });

  describe('refusals', () => {
    test.each<[string, JsonObject, JsonObject]>([
      [
        'without explanation',
        { allowed: false },
        { code: 400, message: 'denied the request without explanation' },
      ],
      [
        'with a message',
        { allowed: false, status: { message: 'not so' } },
        { code: 400, message: 'denied the request: not so' },
      ],
      [
        'with a reason only',
        { allowed: false, status: { reason: 'Forbidden' } },
        { code: 400, reason: 'Forbidden', message: 'denied the request: Forbidden' },
      ],
      [
        'with all of a Status',
        {
          allowed: false,
          status: {
            status: 'Success',
            code: 403,
            reason: 'Forbidden',
            message: 'm',
            details: { name: 'x', causes: [{ field: 'f', message: 'n' }] },
          },
        },
        {
          code: 403,
          reason: 'Forbidden',
          message: 'denied the request: m',
          details: { name: 'x', causes: [{ field: 'f', message: 'n' }] },
        },
      ],
      [
        'with a code of success',
        { allowed: false, status: { code: 200, message: 'm' } },
        { code: 400, message: 'denied the request: m' },
      ],
    ])('%s', async (_title, said, expected) => {
      await register('validating', { answering: () => said });
      const { status, body } = await call('POST', maps, map());
      const name = /admission webhook "([^"]*)" /.exec(textAt(body, 'message'))?.[1] ?? '';
      expect(status).toBe(expected['code']);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        ...expected,
        message: `admission webhook "${name}" ${textAt(expected, 'message')}`,
      });
    });

    test('nothing is written, whichever verb was refused', async () => {
      const object = map({ data: { a: '1' } });
      const path = `${maps}/${object.metadata.name}`;
      await call('POST', maps, object);
      const before = (await call('GET', path)).body;
      await register('validating', { answering: DENY });
      const refused = [
        await call('PUT', path, { ...object, data: {} }),
        await call('PATCH', path, { data: null }, PATCH.merge),
        await call('PATCH', `${path}?fieldManager=x`, object, PATCH.apply),
        await call('DELETE', path),
        await call('DELETE', maps),
      ];
      expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
      expect((await call('GET', path)).body).toEqual(before);
    });

    test('a mutating webhook may refuse too, and no other is asked then', async () => {
      const [, second = []] = await register('mutating', { answering: DENY }, {});
      expect((await call('POST', maps, map())).status).toBe(400);
      expect(second).toEqual([]);
    });
  });

  describe('warnings', () => {
    test('of all webhooks come with the answer, also with a refusal', async () => {
      await register('mutating', { answering: () => ({ allowed: true, warnings: ['one', 'two'] }) });
      await register('validating', { answering: () => ({ allowed: false, warnings: ['two', 'three'] }) });
      const { warnings } = await call('POST', maps, map());
      expect(warnings).toEqual(['299 - "one"', '299 - "two"', '299 - "three"']);
    });

    test('are cut where they are too long together', async () => {
      await register('validating', {
        answering: () => ({ allowed: true, warnings: ['a', 'b', 'c'].map((text) => text.repeat(3000)) }),
      });
      const { warnings } = await call('POST', maps, map());
      expect(warnings.map((text) => text.length)).toEqual([264, 264, 264]);
    });
  });

  describe('dry run', () => {
    test('is told, and writes nothing', async () => {
      const [asked = []] = await register('mutating', {
        answering: () => add('a', 'b'),
        with: { sideEffects: 'NoneOnDryRun' },
      });
      const object = map({ data: {} });
      const { status, body } = await call('POST', `${maps}?dryRun=All`, { ...object, data: { z: '' } });
      expect([status, at(body, 'data')]).toEqual([201, { a: 'b', z: '' }]);
      expect([at(asked[0], 'dryRun'), at(asked[0], 'options', 'dryRun')]).toEqual([true, ['All']]);
      expect((await call('GET', `${maps}/${object.metadata.name}`)).status).toBe(404);
    });
  });
}
