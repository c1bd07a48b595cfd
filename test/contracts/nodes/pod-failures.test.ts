import { corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { conditionsOf, isReady, isRunning, NodeStory, statusOf } from './node-story.ts';

const main = (more: Partial<corev1.Container> = {}): corev1.Container => ({
  name: 'main',
  image: 'web:1',
  ...more,
});
const script = (text: string): Partial<corev1.Container> => ({
  image: 'busybox',
  command: ['sh', '-c', text],
});
const waitingReason = (pod: corev1.Pod, container = 'main'): string | undefined =>
  statusOf(pod, container)?.state?.waiting?.reason;
const isOver = ({ status }: corev1.Pod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

function failures(transport: () => Transport): void {
  let story: NodeStory;
  beforeEach(async () => {
    story = await NodeStory.begin(transport());
  });

  test.each([
    ['true', 'Never', 'Succeeded', 'Completed', 0],
    ['exit 3', 'Never', 'Failed', 'Error', 3],
    ['echo hello; exit 0', 'OnFailure', 'Succeeded', 'Completed', 0],
  ] as const)('`%s` with restart policy %s: %s', async (text, restartPolicy, phase, reason, exitCode) => {
    await story.run('job', { restartPolicy, containers: [main(script(text))] });
    const pod = await story.until('job', isOver);
    expect(pod.status?.phase).toBe(phase);
    expect(statusOf(pod)?.state?.terminated).toMatchObject({ reason, exitCode });
    expect(conditionsOf(pod)).toContain(
      phase === 'Failed' ? 'Ready False PodFailed' : 'Ready False PodCompleted',
    );
  });

  test('a container that crashes is restarted at once, then with a back-off', async () => {
    await story.run('crash', {}, { crash: 'true' });
    const pod = await story.until('crash', (live) => waitingReason(live) === 'CrashLoopBackOff');
    const { uid } = pod.metadata;
    expect(pod.status?.phase).toBe('Running');
    expect(statusOf(pod)).toMatchObject({ restartCount: 1, ready: false, started: false });
    expect(statusOf(pod)?.state?.waiting?.message).toBe(
      `back-off 10s restarting failed container=main pod=crash_${story.namespace}(${uid})`,
    );
    expect(statusOf(pod)?.lastState?.terminated).toMatchObject({ exitCode: 1, reason: 'Error' });
    expect(conditionsOf(pod)).toContain('Ready False ContainersNotReady');
    await expect
      .poll(() => story.events('crash'))
      .toContain(
        `BackOff: Back-off restarting failed container main in pod crash_${story.namespace}(${uid})`,
      );
  });

  test('one that fails once runs on at its second attempt', async () => {
    await story.run('flaky', { restartPolicy: 'OnFailure' }, { crash: 'true', exits: '1' });
    const pod = await story.until('flaky', (live) => isReady(live) && statusOf(live)?.restartCount === 1);
    expect(statusOf(pod)?.lastState?.terminated).toMatchObject({ exitCode: 1, reason: 'Error' });
  });

  test('a container that uses too much memory is killed', async () => {
    await story.run('oom', { restartPolicy: 'Never' }, { oom: 'true' });
    const pod = await story.until('oom', isOver);
    expect(pod.status?.phase).toBe('Failed');
    expect(statusOf(pod)?.state?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  test('an image that cannot be pulled is tried again and again', async () => {
    const why = 'failed to resolve reference "web:1": not found';
    await story.run('no-image', {}, { 'image-error': why });
    const history = await story.history(
      'no-image',
      (pod) => pod !== undefined && waitingReason(pod) === 'ImagePullBackOff',
    );
    const reasons = history.map((pod) => waitingReason(pod)).filter((reason) => reason !== undefined);
    expect(reasons).toContain('ErrImagePull');
    const last = history.at(-1);
    expect(last?.status?.phase).toBe('Pending');
    expect(last && statusOf(last)?.state?.waiting?.message).toBe(
      `Back-off pulling image "web:1": ErrImagePull: ${why}`,
    );
    await expect
      .poll(() => story.events('no-image'))
      .toEqual([
        'Pulling: Pulling image "web:1"',
        `Failed: Failed to pull image "web:1": ${why}`,
        'Failed: Error: ErrImagePull',
        'BackOff: Back-off pulling image "web:1"',
        'Failed: Error: ImagePullBackOff',
      ]);
  });

  test('init containers run one after the other before the others', async () => {
    await story.run('init', {
      initContainers: [
        { name: 'first', ...script('sleep 1') },
        { name: 'second', ...script('exit 0') },
      ],
      containers: [main()],
    });
    const history = await story.history('init', (pod) => pod !== undefined && isReady(pod));
    const during = history.find((pod) => statusOf(pod, 'first')?.state?.running !== undefined);
    expect(during?.status?.phase).toBe('Pending');
    expect(during && waitingReason(during, 'second')).toBe('PodInitializing');
    expect(during && waitingReason(during)).toBe('PodInitializing');
    expect(during?.status?.conditions?.find(({ type }) => type === 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [first second]',
    });
    const last = history.at(-1);
    expect(last && statusOf(last, 'second')).toMatchObject({ ready: true, restartCount: 0 });
    expect(last && conditionsOf(last)).toContain('Initialized True');
  });

  test('an init container that fails for good fails the pod', async () => {
    await story.run('init', {
      restartPolicy: 'Never',
      initContainers: [{ name: 'first', ...script('exit 2') }],
      containers: [main()],
    });
    const pod = await story.until('init', isOver);
    expect(pod.status?.phase).toBe('Failed');
    expect(statusOf(pod, 'first')?.state?.terminated).toMatchObject({ exitCode: 2, reason: 'Error' });
    expect(waitingReason(pod)).toBe('PodInitializing');
  });

  test('a sidecar lives as long as the others, and does not hold up the end', async () => {
    await story.run('sidecar', {
      restartPolicy: 'Never',
      initContainers: [{ name: 'side', image: 'web:1', restartPolicy: 'Always' }],
      containers: [main(script('sleep 1'))],
    });
    const running = await story.until('sidecar', isRunning);
    expect(statusOf(running, 'side')).toMatchObject({ started: true, ready: true });
    const pod = await story.until('sidecar', isOver);
    expect(pod.status?.phase).toBe('Succeeded');
    expect(statusOf(pod, 'side')?.state?.terminated).toMatchObject({ exitCode: 0 });
  });

  test('what a volume or an environment is made of has to be there', async () => {
    await story.run('needy', {
      volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
      containers: [
        main({ env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'token', key: 'value' } } }] }),
      ],
    });
    const mount =
      'FailedMount: MountVolume.SetUp failed for volume "settings" : configmap "settings" not found';
    await expect.poll(() => story.events('needy')).toContain(mount);
    const pod = await story.until('needy', (live) => waitingReason(live) !== undefined);
    expect(waitingReason(pod)).toBe('ContainerCreating');
    const metadata = (name: string): KubeObject['metadata'] => ({ name, namespace: story.namespace });
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('settings') };
    await story.client.create<KubeObject>(corev1.configmaps, configMap);
    const blocked = await story.until(
      'needy',
      (live) => waitingReason(live) === 'CreateContainerConfigError',
    );
    expect(statusOf(blocked)?.state?.waiting?.message).toBe('secret "token" not found');
    await expect.poll(() => story.events('needy')).toContain('Failed: Error: secret "token" not found');
    await story.client.create<KubeObject>(corev1.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('token'),
      stringData: { value: 'x' },
    });
    await story.until('needy', isReady);
  });

  test('a pod waits for its claim to be bound', async () => {
    await story.run('claim', {
      nodeName: 'node-1',
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      containers: [main()],
    });
    await expect
      .poll(() => story.events('claim'))
      .toContain(
        `FailedMount: Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC ${story.namespace}/data: failed to fetch PVC from API server: persistentvolumeclaims "data" not found`,
      );
    await story.client.create<KubeObject>(corev1.persistentvolumeclaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: story.namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
    });
    await story.client.patch(
      corev1.persistentvolumeclaims,
      story.key('data'),
      { type: 'merge', body: { status: { phase: 'Bound' } } },
      { subresource: 'status' },
    );
    await story.until('claim', isReady);
  });

  test('a pod is ready when others say so, where it has readiness gates', async () => {
    await story.run('gated', { readinessGates: [{ conditionType: 'example.com/served' }] });
    const pod = await story.until('gated', isRunning);
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "example.com/served" does not exist.',
    });
    const conditions = [{ type: 'example.com/served', status: 'True' }];
    const body = { status: { conditions } };
    await story.client.patch(
      corev1.pods,
      story.key('gated'),
      { type: 'strategic', body },
      { subresource: 'status' },
    );
    expect(conditionsOf(await story.until('gated', isReady))).toContain('example.com/served True');
  });

  test('a pod is unready while its annotation says so', async () => {
    await story.run('moody', {}, { ready: 'false' });
    const pod = await story.until('moody', isRunning);
    expect(pod.status?.conditions?.find(({ type }) => type === 'ContainersReady')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [main]',
    });
    const annotate = (value: string): Promise<unknown> =>
      story.client.patch(corev1.pods, story.key('moody'), {
        type: 'merge',
        body: { metadata: { annotations: { 'nodes.kubewright.dev/ready': value } } },
      });
    await annotate('true');
    await story.until('moody', isReady);
    await annotate('false');
    await story.until('moody', (live) => !isReady(live));
  });

  test('a container whose liveness probe fails is restarted', async () => {
    await story.run('sick', { terminationGracePeriodSeconds: 1 }, { 'unhealthy-after': '200ms' });
    const pod = await story.until('sick', (live) => (statusOf(live)?.restartCount ?? 0) > 0);
    expect(pod.status?.phase).toBe('Running');
    await expect
      .poll(() => story.events('sick'))
      .toContain('Killing: Container main failed liveness probe, will be restarted');
    await expect
      .poll(() => story.events('sick'))
      .toContain('Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500');
  });

  test('a pod that has been active for too long is ended', async () => {
    await story.run('late', { activeDeadlineSeconds: 1, terminationGracePeriodSeconds: 1 });
    const pod = await story.until('late', isOver);
    expect(pod.status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
  });
}

describeClusters('Trouble on simulated nodes', { controllers: [], nodes: 2 }, failures);
