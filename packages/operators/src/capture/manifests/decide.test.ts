import { ownerReferenceTo, setCondition } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import type { ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import { at, requestMeta, stored, storedKeeper, timeAt } from '../testing/requests.ts';
import { newCheckpoint } from './new-checkpoint.ts';
import { decide } from './decide.ts';

const REQUEST: ManifestCaptureRequest = {
  apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
  kind: 'ManifestCaptureRequest',
  metadata: requestMeta('all'),
  spec: { targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'one' }] },
};
const KEEPER = storedKeeper(REQUEST, 'nss-ok');
const SOMEBODY = storedKeeper(REQUEST, 'keep', 'uid-somebody');

/** The checkpoint of a request when it is whole, with another controller since. */
function adopted(request = REQUEST): ManifestCheckpoint {
  const ready = { type: 'Ready', status: 'True', reason: 'Completed', message: '' } as const;
  const ownerReferences = [ownerReferenceTo(SOMEBODY, { controller: true })];
  return {
    ...stored(newCheckpoint(request, KEEPER, []), { ownerReferences }),
    status: { totalObjects: 1, conditions: setCondition([], ready, timeAt(1)) },
  };
}
const ended = (checkpoint: ManifestCheckpoint) =>
  decide({ request: REQUEST, keeper: { type: 'ours', keeper: KEEPER }, checkpoint, chunks: [] }, at(2)).status
    ?.conditions;

test('CAP-182 where nobody checks authors, a request is carried out, and says so until its end', () => {
  const message = 'nobody has checked whether its author may do this';
  const begun = decide(
    { request: REQUEST, keeper: { type: 'absent' }, chunks: [], author: { type: 'notInstalled', message } },
    at(1),
  );
  const unchecked = { type: 'AuthorChecked', status: 'False', reason: 'NotInstalled', message };
  expect(begun).toMatchObject({
    reason: 'CreateKeeper',
    status: { conditions: [{ type: 'Ready' }, unchecked] },
  });
  const request = { ...REQUEST, status: begun.status ?? {} };
  const done = decide(
    { request, keeper: { type: 'ours', keeper: KEEPER }, checkpoint: adopted(), chunks: [] },
    at(2),
  );
  expect(done.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }, unchecked]);
});

test('CAP-186 a request that is not done at its deadline fails, and before it an incomplete checkpoint does', () => {
  const request = { ...REQUEST, spec: { ...REQUEST.spec, deadlineSeconds: 60 } };
  const late = { request, isLate: true, chunks: [] } as const;
  const keeper = { type: 'ours', keeper: KEEPER } as const;
  const message = 'not done after 60 s';
  const exceeded = { type: 'Ready', status: 'False', reason: 'DeadlineExceeded', message };
  for (const state of [{ type: 'absent' } as const, { type: 'unnamed' } as const, keeper])
    expect(decide({ ...late, keeper: state }, at(61)).status?.conditions).toMatchObject([exceeded]);

  const checkpoint = stored(newCheckpoint(request, KEEPER, []), {
    ownerReferences: [ownerReferenceTo(KEEPER, { controller: true })],
  });
  const first = decide({ ...late, keeper, checkpoint }, at(61));
  expect(first).toMatchObject({
    reason: 'FailCheckpoint',
    action: { status: { conditions: [{ message }] } },
  });
  const conditions = setCondition(
    [],
    { type: 'Ready', status: 'False', reason: 'Failed', message },
    timeAt(61),
  );
  const failedOne = { ...checkpoint, status: { conditions } };
  expect(decide({ ...late, keeper, checkpoint: failedOne }, at(62)).status?.conditions).toMatchObject([
    exceeded,
  ]);
  // What was complete just before is complete.
  expect(decide({ ...late, keeper, checkpoint: adopted(request) }, at(61)).status?.conditions).toMatchObject([
    { status: 'True', reason: 'Completed' },
  ]);
});

describe('a checkpoint that has another owner than its keeper', () => {
  test('CAP-106 was adopted, if it is whole and was made for this request', () => {
    expect(ended(adopted())).toMatchObject([{ status: 'True', reason: 'Completed' }]);
  });

  test('CAP-85 CAP-D2 is a conflict, if it is not whole, or another request had it made', () => {
    const { status: _whole, ...begun } = adopted();
    const another = adopted({ ...REQUEST, metadata: { ...REQUEST.metadata, uid: 'uid-another' } });
    for (const checkpoint of [begun, another])
      expect(ended(checkpoint)).toMatchObject([
        { status: 'False', reason: 'Failed', message: expect.stringMatching(/^conflict: /) },
      ]);
  });
});
