import type { JsonObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { toolMarks } from './tool-marks.ts';

const marks = (metadata: JsonObject) => toolMarks({ metadata });

test('an object has the marks of the tools that manage it, with where they record it', () => {
  const labels = {
    'kustomize.toolkit.fluxcd.io/name': 'apps',
    'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
    team: 'shop',
  };
  const annotations = { 'argocd.argoproj.io/tracking-id': 'shop_web:apps/Deployment:default/web' };
  expect(marks({ labels, annotations })).toMatchObject([
    {
      title: 'Argo CD Application shop_web',
      record: { kind: 'Application', namespace: 'shop', name: 'web' },
    },
    {
      title: 'Flux Kustomization flux-system/apps',
      record: { kind: 'Kustomization', namespace: 'flux-system', name: 'apps' },
    },
  ]);
});

test('labels and annotations that are no maps of texts of the object itself are no marks', () => {
  const key = 'kapp.k14s.io/app';
  const inherited = Object.create({ [key]: 'x' }) as JsonObject;
  for (const labels of [inherited, { [key]: 1 }, { [key]: '' }, [key], key, null, undefined])
    expect(marks({ labels } as JsonObject)).toEqual([]);
});
