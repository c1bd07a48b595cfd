import { ApiError } from '@kubewright/client';
import { describe, expect, test } from 'vitest';
import { checkWrite } from './check-write.ts';

const failing = (code: number, message: string) => () =>
  Promise.reject(
    new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, message }),
  );

describe('CAP-166 what a dry run says of a write', () => {
  test('a webhook that cannot be called for a dry run says nothing: the write is not checked', async () => {
    const message = 'admission webhook "a.example.com" does not support dry run';
    expect(await checkWrite(failing(400, message))).toEqual({
      type: 'unchecked',
      message: `not checked: ${message}`,
    });
  });

  test.each([
    [403, 'pods "a" is forbidden: error looking up service account b/c: serviceaccount "c" not found', 'c'],
    [404, 'roles.rbac.authorization.k8s.io "viewer" not found', 'viewer'],
    [422, 'Service "a" is invalid: spec.type: Required value', undefined],
    [500, 'Internal error occurred: failed calling webhook "a.example.com"', undefined],
  ])('%d %s is a rejection', async (code, message, missing) => {
    const checked = await checkWrite(failing(code, message));
    expect(checked).toEqual({
      type: 'rejected',
      message: `the server rejects it: ${message}`,
      ...(missing && { missing }),
    });
  });

  test.each([0, 401, 429, 503])(
    'an error %d, which says nothing of the object, ends the plan',
    async (code) => {
      await expect(checkWrite(failing(code, 'later'))).rejects.toThrow('later');
    },
  );
});
