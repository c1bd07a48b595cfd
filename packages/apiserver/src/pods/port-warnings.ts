import type { JsonObject } from '@kubewright/kube';
import { numberAt, objectsAt, stringAt } from '../objects/read.ts';
import { visitContainers } from './visit-containers.ts';

type Placed = { readonly path: string; readonly port: JsonObject };

/** Ports of one pod that clash, and port names that mean two ports. */
export function portWarnings(spec: JsonObject, path: string): readonly string[] {
  const ports = visitContainers(spec, path, (container, at) =>
    objectsAt(container, 'ports').map((port, index): Placed => ({ port, path: `${at}.ports[${index}]` })),
  );
  return [...clashes(ports), ...repeatedNames(ports)];
}

function clashes(ports: readonly Placed[]): readonly string[] {
  return ports.flatMap((placed, index) => [
    ...addressWithoutPort(placed),
    ...ports
      .slice(0, index)
      .filter((other) => sameNumber(placed.port, other.port))
      .flatMap((other) => {
        const word = clash(placed.port, other.port);
        return word === undefined ? [] : [`${placed.path}: ${word} port definition with ${other.path}`];
      }),
  ]);
}

/** The server prints its internal struct here, in Go's `%+v`. */
function addressWithoutPort({ port, path }: Placed): readonly string[] {
  if (stringAt(port, 'hostIP') === '' || numberAt(port, 'hostPort') !== 0) return [];
  const fields = [
    `Name:${stringAt(port, 'name')}`,
    'HostPort:0',
    `ContainerPort:${numberAt(port, 'containerPort')}`,
    `Protocol:${stringAt(port, 'protocol')}`,
    `HostIP:${stringAt(port, 'hostIP')}`,
  ];
  return [`${path}: hostIP set without hostPort: {${fields.join(' ')}}`];
}

function sameNumber(a: JsonObject, b: JsonObject): boolean {
  return (
    numberAt(a, 'containerPort') === numberAt(b, 'containerPort') &&
    stringAt(a, 'protocol') === stringAt(b, 'protocol')
  );
}

function clash(a: JsonObject, b: JsonObject): string | undefined {
  const [hostA, hostB] = [numberAt(a, 'hostPort'), numberAt(b, 'hostPort')];
  const [addressA, addressB] = [stringAt(a, 'hostIP'), stringAt(b, 'hostIP')];
  if (addressA === addressB && hostA === hostB) return 'duplicate';
  if (hostA === 0 || hostB === 0) return 'overlapping';
  const oneEverywhere = (addressA === '') !== (addressB === '');
  return hostA === hostB && oneEverywhere ? 'dangerously ambiguous' : undefined;
}

function repeatedNames(ports: readonly Placed[]): readonly string[] {
  const first = new Map<string, string>();
  return ports.flatMap(({ port, path }) => {
    const name = stringAt(port, 'name');
    if (name === '') return [];
    const other = first.get(name);
    if (other === undefined) {
      first.set(name, path);
      return [];
    }
    const consequence = `services and probes that select ports by name will use ${other}`;
    return [`${path}: duplicate port name ${JSON.stringify(name)} with ${other}, ${consequence}`];
  });
}
