import { ApiError, type Client } from '@kubewright/client';
import type { Status } from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import type { ScaleAction } from './decide/observed-class.ts';
import { scale } from './scale.ts';
import { autoscalerOf, enforcedClass } from './testing/enforcement-bench.ts';

function rejection(code: number, causes: NonNullable<Status['details']>['causes'] = []): ApiError {
  const reason = code === 404 ? 'NotFound' : 'Conflict';
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message: `no: ${code}`,
    details: { causes },
  });
}

/** One scaling to 3, on a server where the autoscaler is gone and which responds to an apply of the Deployment so. */
function scaleWhere(deployment: ApiError | undefined): Promise<unknown> {
  const { runtime, live } = enforcedClass();
  const object = live.find((one) => one.kind === 'Deployment');
  if (object === undefined) throw new TypeError('there is a Deployment');
  const client: Partial<Client> = {
    async apply({ kind }) {
      const error = kind === 'Deployment' ? deployment : rejection(404);
      if (error !== undefined) throw error;
      return object as never;
    },
  };
  const action: ScaleAction = {
    type: 'scale',
    runtime,
    object,
    autoscaler: autoscalerOf(1, 10),
    replicas: 3,
    function_key: 'main',
  };
  return scale(action, { client: client as Client } as Io);
}

test('CRT-N25 an autoscaler that goes meanwhile: the Deployment is scaled', async () => {
  expect(await scaleWhere(undefined)).toBe('done');
});

test('CRT-N25 where that fails too, it says which way failed', async () => {
  const causes = [{ reason: 'FieldManagerConflict', message: 'conflict with "x"', field: '.spec.replicas' }];
  expect(await scaleWhere(rejection(409, causes))).toMatchObject({
    reason: 'EnforceFallbackFailed',
    message: expect.stringMatching(/^Fallback path failed\. /),
  });
  expect(await scaleWhere(rejection(409))).toBe('conflict');
});
