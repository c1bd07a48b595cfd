import type { ApiRequest, Transport } from '@kubewright/kube';
import type { Environment } from '../../kit/operator.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { type Compositions, useCompositions } from './use-compositions.ts';

/** Compositions, and what the operator sends while it reconciles their slices. */
export type Passes = Compositions & {
  /** What the operator sent in the namespace since the last call, as `METHOD path`, without watches and Events. */
  readonly sent: () => readonly string[];
  /** Resolves after so many more reconciles of slices. */
  readonly passes: (count?: number) => Promise<void>;
  /** Resolves when a reconcile sends nothing: every object is remembered then. Returns what was sent until then. */
  readonly untilQuiet: () => Promise<readonly string[]>;
};

/** {@link Passes} for the tests of the current suite. */
export function usePasses(
  server: () => ServerUnderTest,
  anyKind = { apiGroups: [''], resources: ['configmaps'] },
  env: Environment = {},
): Passes {
  const log: string[] = [];
  const counting = (): ServerUnderTest => {
    const shared = server();
    return { transport: () => noting(shared.transport(), log) };
  };
  // The suites before this one left slices, and reconciles of those must not be counted.
  const compositions = useCompositions(counting, anyKind, (namespace) => ({
    ...env,
    COMPOSITION_NAMESPACE: namespace,
  }));
  const count = async (): Promise<number> => {
    const all = await compositions.arena.operator.manager.registry.getMetricsAsJSON();
    const found = all.find(({ name }) => name === 'controller_runtime_reconcile_total');
    return (found?.values ?? []).reduce(
      (sum, { labels, value }) => (labels['controller'] === 'resourceslice' ? sum + value : sum),
      0,
    );
  };
  const passes: Passes['passes'] = async (more = 1) => {
    const before = await count();
    await compositions.until(async () => {
      if ((await count()) < before + more || !compositions.arena.operator.manager.idle())
        throw new RangeError(`fewer than ${more} reconciles of slices yet`);
    });
  };
  const sent = () =>
    log.splice(0).filter((line) => line.includes(`/namespaces/${compositions.arena.namespace}/`));
  return {
    ...compositions,
    sent,
    passes,
    async untilQuiet() {
      const all = [...sent()];
      let last: readonly string[];
      do {
        await passes();
        last = sent();
        all.push(...last);
      } while (last.length > 0);
      return all;
    },
  };
}

function noting(inner: Transport, log: string[]): Transport {
  return {
    request(request: ApiRequest) {
      if (isOfOperator(request)) log.push(`${request.method} ${request.path}`);
      return inner.request(request);
    },
    close: () => inner.close(),
  };
}

function isOfOperator({ headers, path }: ApiRequest): boolean {
  const user = Object.entries(headers).find(([name]) => name.toLowerCase() === 'impersonate-user')?.[1];
  return String(user).endsWith(':ownership') && !path.includes('watch=') && !path.includes('/events');
}
