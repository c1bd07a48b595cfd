import { ANNOTATIONS, type ClassRuntime } from '../api.ts';
import type { Settings } from '../settings.ts';
import { hashOf } from '../../kit/hash-of.ts';
import { functionName, odgmNames } from './safe-name.ts';
import { hasOdgm as withOdgm } from './has-odgm.ts';
import { odgmObjects } from './odgm-objects.ts';
import { misfitOf } from './placement-of.ts';
import type { Desired, Place, Rendered, RenderedFor, RenderedFunction } from './rendering.ts';
import { selectTemplate } from './select-template.ts';

/** Renders the objects of a class. Pure. */
export function render(
  runtime: ClassRuntime,
  settings: Settings,
  { routers: [router] = [], hasKnative = false }: RenderedFor = {},
): Rendered {
  const error = faultOf(runtime) ?? misfitOf(runtime, settings);
  if (error !== undefined) return { error };
  const { template, ...selected } = selectTemplate(runtime, settings, hasKnative);
  const functions = functionsOf(runtime);
  const hasOdgm = withOdgm(runtime, settings);
  const { odgmImage } = template;
  const place: Place = { runtime, settings, odgmImage, functions, hasOdgm, router };
  const bare = [
    ...functions.flatMap((each) => template.functionObjects(each, place)),
    ...(hasOdgm ? odgmObjects(place) : []),
  ];
  const tooLong = bare.find(({ metadata }) => (metadata.name ?? '').length > 63);
  if (tooLong !== undefined)
    return { error: `${tooLong.kind}/${tooLong.metadata.name} has a name of more than 63 characters` };
  const objects = bare.map((object) => withHash(object));
  const selection = { selected: template.id, ...selected };
  return { template: template.id, selection, functions, objects, hash: hashOf(objects) };
}

function faultOf({ metadata, spec }: ClassRuntime): string | undefined {
  const { name } = metadata;
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return `the name ${name} is not a DNS label`;
  for (const { function_key, provision_config = {} } of spec.functions) {
    const { container_image, wasm_module_url } = provision_config;
    if (container_image === undefined && wasm_module_url === undefined)
      return `function ${function_key} has neither container_image nor wasm_module_url`;
  }
  return undefined;
}

function functionsOf({ metadata, spec }: ClassRuntime): readonly RenderedFunction[] {
  const { name, namespace } = metadata;
  return spec.functions.map((each, index) => {
    const key = each.function_key;
    if (each.provision_config?.wasm_module_url !== undefined)
      return { key, service: odgmNames(name).service, url: `wasm://${key}`, spec: each };
    const service = functionName(name, index, spec.functions.length);
    const url = `http://${service}.${namespace}.svc.cluster.local/`;
    return { key, workload: service, service, url, spec: each };
  });
}

function withHash<T extends Desired>(object: T): T {
  const { metadata } = object;
  const annotations = {
    ...metadata.annotations,
    [ANNOTATIONS.appliedHash]: hashOf(object),
  };
  return { ...object, metadata: { ...metadata, annotations } };
}
