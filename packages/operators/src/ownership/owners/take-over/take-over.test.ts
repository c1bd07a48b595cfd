import type { ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { paintFor } from '../../../kit/paint.ts';
import { describeTakeOver, kubectlPatch, takeOverFindings } from './describe-take-over.ts';
import { planTakeOver, type TakeOver } from './plan-take-over.ts';

const ITEM = 'k:{"name":"setup"}';

function entry(manager: string, operation: string, spec: object, subresource?: string): ManagedFieldsEntry {
  const fieldsV1 = { 'f:spec': spec } as never;
  const about = { manager, operation, apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1 };
  return subresource === undefined ? about : { ...about, subresource };
}

function deployment(...managedFields: readonly ManagedFieldsEntry[]): Stored {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'web', resourceVersion: '7', managedFields },
    spec: { replicas: 3, paused: true, initContainers: [{ name: 'setup', image: 'i:1', command: ['sh'] }] },
  };
}

const BY_CI = entry('ci', 'Apply', {
  'f:initContainers': { [ITEM]: { '.': {}, 'f:image': {}, 'f:name': {} } },
});
const BY_HELM = entry('helm', 'Update', {
  'f:paused': {},
  'f:initContainers': { '.': {}, [ITEM]: { '.': {}, 'f:command': {}, 'f:image': {}, 'f:name': {} } },
});
const ITEM_PATTERN = 'spec.initContainers[name="setup"]';

function taken(of: Partial<TakeOver> = {}) {
  const input = { live: deployment(BY_CI, BY_HELM), manager: 'ci', remove: [], ...of };
  return { input, result: planTakeOver(input), text: describeTakeOver(input, planTakeOver(input), plain) };
}

const plain = paintFor(false);

describe('what a take-over moves', () => {
  test('is for a removal only what blocks it: of an item its membership', () => {
    expect(taken({ remove: [ITEM_PATTERN] }).text).toMatchInlineSnapshot(`
      "Deployment web: so that ci can remove spec.initContainers[name="setup"]
        moves .spec.initContainers[name="setup"] from helm (Update) to ci
        not done here, because adopting would remove or reset .spec.initContainers[name="setup"].command, .spec.paused (now true)
      "
    `);
  });

  test('is by default every field that the manager applies, and none that it does not', () => {
    const { input, result } = taken();
    expect(takeOverFindings(input, result)).toMatchObject({
      result: 'Move',
      moves: [
        { path: `.${ITEM_PATTERN}`, from: ['helm (Update)'] },
        { path: `.${ITEM_PATTERN}.image`, from: ['helm (Update)'] },
        { path: `.${ITEM_PATTERN}.name`, from: ['helm (Update)'] },
      ],
      patch: [
        {
          op: 'replace',
          path: '/metadata/managedFields',
          value: [
            BY_CI,
            { manager: 'helm', fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:initContainers': { '.': {} } } } },
          ],
        },
        { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
      ],
    });
  });

  test('OWN-T29 is never what the manager does not desire: adopting that is shown with its live value', () => {
    expect(taken().text).toContain('not done here, because adopting would remove or reset');
    expect(taken().text).toContain('.spec.paused (now true)');
    expect(taken({ live: deployment(BY_CI) }).text).toContain('its next apply would remove nothing else');
  });

  test('OWN-T31 is not what belongs to a subresource or is protected; that is listed', () => {
    const replicas = { 'f:replicas': {} };
    const live = deployment(
      entry('ci', 'Apply', replicas),
      entry('helm', 'Update', replicas),
      entry('hpa', 'Update', replicas, 'scale'),
    );
    const { result, text } = taken({ live });
    expect(result.plan.kind).toBe('nothing');
    expect(text).toContain('stays: .spec.replicas: owned by helm (Update), and protected');
    expect(text).toContain('owned by hpa (Update of scale), who owns it through a subresource');
  });

  test('is nothing where nobody else owns it', () => {
    expect(taken({ live: deployment(BY_CI) }).text).toContain('nothing to move: nobody else owns');
    expect(taken({ live: deployment(BY_CI), remove: [ITEM_PATTERN] }).text).toContain('removes it');
  });

  test('OWN-T42 is nothing where the server would ignore the rewrite', () => {
    const { result } = taken({ live: deployment(BY_CI, BY_HELM, { manager: 'old', operation: 'Update' }) });
    expect(result.plan).toMatchObject({ kind: 'blocked', reason: 'Undecodable' });
  });

  test('OWN-T26 is nothing in the pod template of a Job, which is immutable', () => {
    const template = { 'f:template': { 'f:spec': { 'f:priorityClassName': {} } } };
    const entries = [entry('ci', 'Apply', template), entry('helm', 'Update', template)];
    const live = deployment(...entries.map((each) => ({ ...each, apiVersion: 'batch/v1' })));
    const { input, result, text } = taken({ live: { ...live, apiVersion: 'batch/v1', kind: 'Job' } });
    expect(text).toContain('blocked: the pod template of a Job is immutable');
    expect(takeOverFindings(input, result)).toMatchObject({ result: 'Blocked', reason: 'Immutable' });
  });
});

describe('a take-over is an error of the user', () => {
  test.each([
    [{ manager: 'nobody' }, 'nobody does not apply this object (ci does); name its applier with --to'],
    [{ remove: ['spec.paused'] }, 'ci does not apply spec.paused, so leaving it out changes nothing'],
  ])('%j', (of, message) => {
    expect(() => taken(of)).toThrow(message);
  });
});

test('the patch can be pasted into a shell', () => {
  const { namespace: _namespace, ...metadata } = deployment().metadata;
  expect(kubectlPatch({ ...deployment(), metadata }, [{ it: "isn't" }])).toBe(
    String.raw`kubectl patch deployment web --type=json -p '[{"it":"isn'\''t"}]'`,
  );
});
