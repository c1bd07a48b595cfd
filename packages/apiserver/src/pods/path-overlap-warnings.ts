import { type JsonObject, withoutTrailing } from '@kubewright/kube';
import { maybeObject, objectAt, objectsAt, stringAt } from '../objects/read.ts';

type Target = { readonly path: string; readonly source: string };

/** Two keys of a volume on one path, or one below the other: the last one read wins, or mounting fails. */
export function pathOverlapWarnings(spec: JsonObject): readonly string[] {
  return objectsAt(spec, 'volumes').flatMap((volume) => {
    const name = JSON.stringify(stringAt(volume, 'name'));
    const plain = (key: string, described: string): readonly string[] =>
      overlaps(targets(objectAt(volume, key), '')).map(
        (text) => `volume ${name} (${described}): overlapping paths: ${text}`,
      );
    return [
      ...plain('configMap', `ConfigMap ${JSON.stringify(stringAt(objectAt(volume, 'configMap'), 'name'))}`),
      ...plain('secret', `Secret ${JSON.stringify(stringAt(objectAt(volume, 'secret'), 'secretName'))}`),
      ...plain('downwardAPI', 'DownwardAPI'),
      ...projectedWarnings(objectAt(volume, 'projected'), name),
    ];
  });
}

function projectedWarnings(projected: JsonObject, name: string): readonly string[] {
  const sources = objectsAt(projected, 'sources');
  const empty = sources
    .filter((source) => Object.keys(source).length === 0)
    .map(() => `volume ${name} (Projected) has no sources provided`);
  const found = overlaps(sources.flatMap(projectedTargets));
  return [...empty, ...found.map((text) => `volume ${name} (Projected): overlapping paths: ${text}`)];
}

function projectedTargets(source: JsonObject): readonly Target[] {
  const named = (key: string, kind: string): readonly Target[] =>
    targets(objectAt(source, key), `${kind} ${JSON.stringify(stringAt(objectAt(source, key), 'name'))}`);
  const token = maybeObject(source, 'serviceAccountToken');
  return [
    ...named('configMap', 'ConfigMap'),
    ...named('secret', 'Secret'),
    ...targets(objectAt(source, 'downwardAPI'), 'DownwardAPI'),
    ...(token === undefined ? [] : [{ path: stringAt(token, 'path'), source: 'ServiceAccountToken' }]),
  ];
}

function targets(volume: JsonObject, source: string): readonly Target[] {
  return objectsAt(volume, 'items').map((item) => ({ path: stringAt(item, 'path'), source }));
}

function overlaps(all: readonly Target[]): readonly string[] {
  const trimmed = all.map((target) => ({ ...target, path: withoutTrailing(target.path, '/') }));
  return trimmed.flatMap((target, index) =>
    trimmed
      .slice(0, index)
      .filter((other) => target.path !== '' && other.path !== '' && overlap(target.path, other.path))
      .map((other) => `${describe(target)} with ${describe(other)}`),
  );
}

function overlap(a: string, b: string): boolean {
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
}

function describe(target: Target): string {
  const path = JSON.stringify(target.path);
  return target.source === '' ? path : `${path} (${target.source})`;
}
