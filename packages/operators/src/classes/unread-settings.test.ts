import { createApiServer } from '@kubewright/apiserver';
import { createManager, Registry, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { classesParts } from './controller.ts';
import { unreadSettings } from './unread-settings.ts';

const ENV = {
  OPRC_CRM_FEATURES_HPA: 'false',
  OPRC_CRM_FEATURES_NFR_ENFORCEMENT: 'false',
  OPRC_CRM_FEATURES_ODGM: 'false',
  OPRC_CRM_PROM_ULR: 'http://prometheus:9090',
  HTTP_PROXY: 'http://proxy',
};

test('CRT-D45 a setting of the original that has no effect is said, with what has; and so is a typo', () => {
  expect(unreadSettings(ENV)).toEqual([
    {
      setting: 'OPRC_CRM_FEATURES_HPA',
      instead: 'HorizontalPodAutoscalers that are there are used, and none are made',
    },
    { setting: 'OPRC_CRM_PROM_ULR', instead: expect.stringContaining('there is no such setting') as string },
  ]);
  expect(unreadSettings({ OPRC_CRM_PROM_URL: 'http://prometheus:9090' })).toEqual([]);
});

test('CRT-D45 the operator logs it when it starts', () => {
  const warned: unknown[] = [];
  const log = {
    ...silentLogger,
    child: () => log,
    warn: (_text: string, fields: unknown) => void warned.push(fields),
  };
  const transport = createApiServer().transport();
  const manager = createManager({ name: 'settings', transport, log, registry: new Registry() });
  for (const part of classesParts.parts) part.add(manager, ENV);
  expect(warned).toEqual(unreadSettings(ENV));
});
