import { describe, expect, expectTypeOf, test } from 'vitest';
import type { KubeObject, ResourceRef } from '../object/kube-object.ts';
import { loadCatalogue } from '../schema/catalogue.ts';
import * as builtin from './builtin.data.ts';

const refs = Object.values(builtin).flatMap((module) =>
  Object.values(module as Readonly<Record<string, ResourceRef>>),
);

describe('the types of the built-in kinds', () => {
  test.each(refs)('$resource of "$group" $version is a kind of the catalogue', ({ group, version, kind }) => {
    expect(loadCatalogue().schemaOf({ group, version, kind })).toBeDefined();
  });

  test('are Kubernetes objects, whose fields the compiler knows', () => {
    expectTypeOf<builtin.appsv1.Deployment>().toExtend<KubeObject>();
    expectTypeOf(builtin.corev1.pods).toExtend<ResourceRef<builtin.corev1.Pod>>();
    expectTypeOf<builtin.appsv1.Deployment['spec']['template']['spec']>().toEqualTypeOf<
      builtin.corev1.PodSpec | undefined
    >();
    expectTypeOf<builtin.corev1.ContainerPort['containerPort']>().toBeNumber();
  });
});
