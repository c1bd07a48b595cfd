import type { Dimension } from './api.ts';
import { MIN_SCALE } from './knative-api.ts';
import type { Desired } from './templates/rendering.ts';

/** A desired object without the fields of some dimensions, which their field managers keep. */
export function withoutDimensions(object: Desired, dimensions: ReadonlySet<Dimension | undefined>): Desired {
  if (object.apiVersion === 'v1') return object;
  if (object.apiVersion === 'apps/v1') return withoutFields(object, dimensions);
  return dimensions.has('replicas') ? withoutMinScale(object) : object;
}

function withoutFields(object: Deployment, dimensions: ReadonlySet<Dimension | undefined>): Deployment {
  const { replicas, template, ...spec } = object.spec ?? {};
  const kept = dimensions.has('replicas') || replicas === undefined ? {} : { replicas };
  const pods = template === undefined ? {} : { template: withoutSizes(template, dimensions) };
  return { ...object, spec: { ...spec, ...kept, ...pods } };
}

type Deployment = Extract<Desired, { readonly apiVersion: 'apps/v1' }>;
type Knative = Exclude<Desired, { readonly apiVersion: 'v1' | 'apps/v1' }>;
type Template = NonNullable<NonNullable<Deployment['spec']>['template']>;
type Quantities = Readonly<Record<string, string>>;

function withoutSizes(template: Template, dimensions: ReadonlySet<string | undefined>): Template {
  const without = (sizes: Quantities = {}): Quantities =>
    Object.fromEntries(Object.entries(sizes).filter(([name]) => !dimensions.has(name)));
  const containers = template.spec?.containers?.map(({ resources, ...container }) =>
    resources === undefined
      ? container
      : {
          ...container,
          resources: { requests: without(resources.requests), limits: without(resources.limits) },
        },
  );
  return { ...template, spec: { ...template.spec, ...(containers === undefined ? {} : { containers }) } };
}

function withoutMinScale(object: Knative): Knative {
  const { template = {} } = object.spec ?? {};
  const { [MIN_SCALE]: _least, ...annotations } = template.metadata?.annotations ?? {};
  return { ...object, spec: { template: { ...template, metadata: { ...template.metadata, annotations } } } };
}
