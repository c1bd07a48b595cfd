import type { JsonObject, KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { approvals, child, create, CTL, NOW, remove, resized, site, update } from '../testing/objects.ts';
import { acceptedBy } from './accepted-by.ts';
import { type AcceptedContent, MOST_CONTENTS, withContent } from './accepted-content.ts';
import { contentOf, entryOf, inputsOf, storedAs } from './content-of.ts';
import { decideAdmission } from './decide-admission.ts';
import type { Review } from './review.ts';

const parent = site();
const facts = (contents: readonly AcceptedContent[] = [], of = parent) => ({
  parent: of,
  mode: 'enforce' as const,
  isEnding: false,
  contents,
});
const reasonOf = (review: Review, contents: readonly AcceptedContent[] = [], of = parent): string =>
  decideAdmission(review, facts(contents, of), NOW).reason;
const hop = (user: string) =>
  JSON.stringify([{ apiVersion: 'v1', kind: 'X', name: 'x', generation: 1, user }]);
const written = (by: string, more = {}) => child({ annotations: { [ANNOTATIONS.trace]: hop(by) }, ...more });

test('a child that is made again as it was is expected, and with another content it is drift', () => {
  const known = [entryOf(child(), parent)];
  expect(reasonOf(create(child()), known)).toBe('Repeated');
  const turn = (name: string) => child({ metadata: { name } });
  const turns = [entryOf(turn('queue-1'), parent)];
  expect(reasonOf(create(turn('queue-2')), turns)).toBe('Repeated');
  expect(reasonOf(create(turn('other-1')), turns)).toBe('Drift');
  expect(reasonOf(create(turn('unasked')), known)).toBe('Drift');
  expect(reasonOf(create(resized(child())), known)).toBe('Drift');
});

test('what another spec of the parent has made explains nothing', () => {
  const before = [entryOf(child(), site({ spec: { replicas: 1 } }))];
  expect(reasonOf(create(child()), before)).toBe('Drift');
  expect(reasonOf(create(child({ kind: 'ConfigMap' })), [entryOf(child(), parent)])).toBe('Drift');
});

test('an update needs a change of the parent: the controller does not go back by itself', () => {
  const known = [entryOf(resized(child()), parent)];
  expect(reasonOf(update(written(CTL)), known)).toBe('Drift');
});

test('what somebody has approved the controller to delete does not come back by itself', () => {
  const approved = site({ annotations: approvals({ mode: 'always' }) });
  const deleted = acceptedBy(
    remove(child()),
    facts([], approved),
    decideAdmission(remove(child()), facts([], approved), NOW),
  );
  expect(deleted).toMatchObject({ name: 'web', content: '' });
  const known = [entryOf(child(), parent), deleted as AcceptedContent].reduce<readonly AcceptedContent[]>(
    withContent,
    [],
  );
  expect(reasonOf(create(child()), known)).toBe('Drift');
  // Until it is made for a change of the parent.
  expect(reasonOf(create(child()), withContent(known, entryOf(child(), parent)))).toBe('Repeated');
});

const pods = (image: string) => ({ spec: { containers: [{ name: 'main', image }] } });
const job = (image: string, fields = {}) =>
  child({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'one' },
    spec: { template: pods(image) },
    ...fields,
  });

test('the first Job that has the template of its parent is expected, and one that has none of it is not', () => {
  const owner = site({ spec: { jobs: [{ template: pods('a:1') }] } });
  expect(reasonOf(create(job('a:1')), [], owner)).toBe('FromTemplate');
  expect(reasonOf(create(job('b:1')), [], owner)).toBe('Drift');
  expect(reasonOf(create(job('a:1')), [], parent)).toBe('Drift');
  const known = [entryOf(job('a:1'), owner)];
  const other = job('a:1', { spec: { template: pods('a:1'), backoffLimit: 0 } });
  expect(reasonOf(create(other), known, owner)).toBe('Drift');
});

test('a Job that is over is deleted, and one that runs is not; nor a person’s temporary object', () => {
  const over = job('a:1', { status: { conditions: [{ type: 'Failed', status: 'True' }] } });
  expect(reasonOf(remove(over))).toBe('Finished');
  expect(reasonOf(remove(job('a:1', { status: { active: 1 } })))).toBe('Drift');
  const temporary = (user: string) =>
    remove(written(user, { metadata: { name: 'a-1', generateName: 'a-' } }));
  expect(reasonOf(temporary(CTL))).toBe('Temporary');
  expect(reasonOf(temporary('alice'))).toBe('Drift');
});

test('what the server has named once is temporary, too, where its controller makes it again by that name', () => {
  const secret = (metadata: object, keys: readonly string[]) =>
    written(CTL, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      data: Object.fromEntries(keys.map((key) => [key, ''])),
    });
  const key = entryOf(secret({ name: undefined, generateName: 'web-' }, ['tls.key']), parent);
  const again = secret({ name: 'web-gtfdk' }, ['tls.key']);
  expect(reasonOf(create(again), [key])).toBe('Repeated');
  const known = withContent([key], entryOf(again, parent));
  expect(known).toEqual([key]);
  expect(reasonOf(remove(again), known)).toBe('Temporary');
  // Nobody has let the server name one of another content, and of another name nothing is known.
  expect(reasonOf(remove(secret({ name: 'web-tls' }, ['tls.crt', 'tls.key'])), known)).toBe('Drift');
  expect(reasonOf(remove(secret({ name: 'other-gtfdk' }, ['tls.key'])), known)).toBe('Drift');
  expect(reasonOf(remove(again), [entryOf(again, parent)])).toBe('Drift');
});

const certificate = (status: JsonObject) =>
  site({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    status: { observedGeneration: 3, ...status },
  });

test.each([
  ['2026-01-01T09:59:00Z', 'Due'],
  ['2026-01-01T10:01:00Z', 'Drift'],
  ['2026-01-01T08:00:00Z', 'Drift'],
  ['soon', 'Drift'],
])('a time in the status at which the controller acts is a cause for an hour: %s', (renewalTime, reason) => {
  expect(reasonOf(update(child()), [], certificate({ renewalTime }))).toBe(reason);
});

test('a rejection and a freeze hold whatever the cause', () => {
  const rejections = JSON.stringify([{ apiVersion: '*', kind: '*', name: '*', reason: 'no' }]);
  const of = (key: string, value: string) => site({ annotations: { [key]: value } });
  const known = (owner: KubeObject) => [entryOf(child(), owner)];
  const rejecting = of(ANNOTATIONS.rejections, rejections);
  expect(reasonOf(create(child()), known(rejecting), rejecting)).toBe('Rejected');
  const frozen = of(ANNOTATIONS.freeze, 'true');
  expect(reasonOf(create(child()), known(frozen), frozen)).toBe('Frozen');
});

test('what is accepted is remembered, drift that is let through is not; nor what other users make', () => {
  const accepted = (review: Review, contents: readonly AcceptedContent[] = [], of = parent) => {
    const known = { ...facts(contents, of), mode: 'log' as const };
    return acceptedBy(review, known, decideAdmission(review, known, NOW));
  };
  expect(accepted(create(child()))).toBeUndefined();
  expect(accepted(create(child()), [entryOf(child(), parent)])).toEqual(entryOf(child(), parent));
  expect(accepted(create(child(), 'alice'))).toBeUndefined();
  const reconciling = site({ metadata: { name: 'web', uid: 'p-1', generation: 4 } });
  expect(accepted(update(child()), [], reconciling)).toMatchObject({ name: 'web', kind: 'ReplicaSet' });
  // Until a person deleted it, it was right.
  expect(accepted(remove(written(CTL), 'alice'))).toEqual(entryOf(child(), parent));
  expect(accepted(remove(written('alice'), 'alice'))).toBeUndefined();
});

test('as much is remembered of each parent, the latest, each content once', () => {
  const entries = Array.from({ length: MOST_CONTENTS + 1 }, (_, index) => ({
    ...entryOf(child(), parent),
    content: String(index),
  }));
  const all = entries.reduce<readonly AcceptedContent[]>(withContent, []);
  expect(all).toHaveLength(MOST_CONTENTS);
  expect(all.at(-1)?.content).toBe(String(MOST_CONTENTS));
  expect(withContent(all, entries[5] as AcceptedContent)).toHaveLength(MOST_CONTENTS);
});

const secret = (data: JsonObject) => child({ apiVersion: 'v1', kind: 'Secret', spec: undefined, data });

test('of a Secret, the values are in no hash; of a request for a certificate, what differs each time is not', () => {
  expect(contentOf(secret({ key: 'YQ==' }), parent)).toBe(contentOf(secret({ key: 'Yg==' }), parent));
  expect(contentOf(secret({ key: 'YQ==' }), parent)).not.toBe(contentOf(secret({ other: 'YQ==' }), parent));
  const request = (fields: JsonObject) =>
    child({ kind: 'CertificateRequest', spec: { duration: '1h', ...fields } });
  const owner = certificate({});
  expect(contentOf(request({ request: 'a' }), owner)).toBe(contentOf(request({ request: 'b' }), owner));
  expect(contentOf(request({ request: 'a' }), owner)).not.toBe(contentOf(request({ usages: [] }), owner));
  expect(contentOf(request({ request: 'a' }), parent)).not.toBe(contentOf(request({ request: 'b' }), parent));
});

test('of a pod, what the cluster gives to each is not its content: its node, its token, how long it stays on a lost node', () => {
  const mounts = (name: string) => ({
    name: 'main',
    image: 'a:1',
    volumeMounts: [{ name, mountPath: '/token' }],
  });
  const pod = (name: string, more: JsonObject = {}) =>
    child({
      apiVersion: 'v1',
      kind: 'Pod',
      spec: { containers: [mounts(name)], initContainers: [mounts(name)], volumes: [{ name }], ...more },
    });
  const made = contentOf(pod('kube-api-access-x1y2z'), parent);
  const lost = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  const placed = {
    nodeName: 'node-1',
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    tolerations: [lost('node.kubernetes.io/not-ready'), lost('node.kubernetes.io/unreachable')],
  };
  expect(contentOf(pod('kube-api-access-abcde', placed), parent)).toBe(made);
  expect(contentOf(pod('kube-api-access-abcde', { tolerations: [lost('gpu')] }), parent)).not.toBe(made);
  const containers = [{ name: 'main', image: 'a:1' }];
  expect(contentOf(pod('', { containers, initContainers: containers, volumes: [] }), parent)).toBe(made);
  for (const other of ['kube-api-access-x1', 'cache']) expect(contentOf(pod(other), parent)).not.toBe(made);
  expect(contentOf(pod('kube-api-access-abcde', { hostNetwork: true }), parent)).not.toBe(made);
});

test('metadata that no server stores cannot choose what a parent asks for', () => {
  expect(inputsOf(site({ spec: { a: 1 } }))).not.toBe(inputsOf(site({ spec: { a: 2 } })));
});

const service = (spec: JsonObject) => child({ apiVersion: 'v1', kind: 'Service', spec });

test('a Service that is written without what the server assigned to it is the same', () => {
  const ports = [{ port: 80, protocol: 'TCP', nodePort: 30_000 }];
  const old = service({ type: 'NodePort', clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ports });
  const sent = service({ type: 'NodePort', clusterIP: '', ports: [{ port: 80 }] });
  expect(storedAs(old, sent)['spec']).toMatchObject({
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1'],
    ports: [{ port: 80, nodePort: 30_000 }],
  });
  const other = service({ type: 'ClusterIP', ports });
  expect(storedAs(old, other)).toBe(other);
  expect(storedAs(child(), resized(child()))).toEqual(resized(child()));
});
