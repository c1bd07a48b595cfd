import { canonicalJson, compareText, type corev1 } from '@kubewright/kube';

type Address = corev1.EndpointAddress;
type Port = corev1.EndpointPort;
type Subset = corev1.EndpointSubset;
type Reached = Map<string, { readonly address: Address; readonly ready: boolean }>;

/**
 * The same addresses at the same ports, with as few subsets as there are different sets of ports, all in one order. An
 * address that is ready and not ready at a port is not ready.
 */
export function repack(subsets: readonly Subset[]): readonly Subset[] {
  const byAddresses = new Map<string, { readonly ports: Port[]; readonly reached: Reached }>();
  for (const { port, reached } of byPort(subsets)) {
    const key = [...reached]
      .map(([id, { ready }]) => `${id} ${ready}`)
      .sort()
      .join();
    const group = byAddresses.get(key) ?? { ports: [], reached };
    byAddresses.set(key, group);
    if (port !== undefined) group.ports.push(port);
  }
  return inOrder([...byAddresses.values()].map(subsetOf));
}

type AtPort = { readonly port: Port | undefined; readonly reached: Reached };

/** Headless services may have addresses without a port. */
function byPort(subsets: readonly Subset[]): Iterable<AtPort> {
  const groups = new Map<string, AtPort>();
  const reachedAt = (port: Port | undefined): Reached => {
    const key = port === undefined ? '' : canonicalJson(port);
    const group = groups.get(key) ?? { port, reached: new Map() };
    groups.set(key, group);
    return group.reached;
  };
  for (const { ports = [], addresses = [], notReadyAddresses = [] } of subsets) {
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const reached = reachedAt(port);
      for (const address of addresses) add(reached, address, true);
      for (const address of notReadyAddresses) add(reached, address, false);
    }
  }
  return groups.values();
}

function add(reached: Reached, address: Address, ready: boolean): void {
  const key = `${address.ip}/${address.targetRef?.uid ?? ''}`;
  const known = reached.get(key);
  reached.set(key, { address: known?.address ?? address, ready: ready && known?.ready !== false });
}

function subsetOf({
  ports,
  reached,
}: {
  readonly ports: readonly Port[];
  readonly reached: Reached;
}): Subset {
  const those = (wanted: boolean): readonly Address[] =>
    [...reached]
      .flatMap(([key, { address, ready }]) => (ready === wanted ? [{ key, address }] : []))
      .sort((a, b) => compareText(a.key, b.key))
      .map(({ address }) => address);
  const [addresses, notReadyAddresses] = [those(true), those(false)];
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports: inOrder(ports) }),
  };
}

/** By all that they say, so that it is the same order every time. */
function inOrder<T extends Port | Subset>(values: readonly T[]): readonly T[] {
  const named = values.map((value) => ({ text: canonicalJson(value), value }));
  return named.sort((a, b) => compareText(a.text, b.text)).map(({ value }) => value);
}
