import type { Environment } from '../kit/operator.ts';
import { SETTING_NAMES } from './setting-names.ts';

/** Variables of the original that have no effect here, and what has. */
const REPLACED: Readonly<Record<string, string>> = {
  OPRC_CRM_FEATURES_HPA: 'HorizontalPodAutoscalers that are there are used, and none are made',
  OPRC_CRM_FEATURES_LEADER_ELECTION: 'the manager always elects a leader',
  OPRC_CRM_FEATURES_FSM: 'phases always come from the table',
  OPRC_CRM_PROM_STEP: 'queries are of one moment, and have no step',
  OPRC_CRM_SECURITY_MTLS: 'OPRC_CRM_TLS_CLIENT_CA_FILE says whose clients may call the gRPC API',
};

export type UnreadSetting = { readonly setting: string; readonly instead: string };

/** Variables of the operator that are set and have no effect: those of the original, and typos. */
export function unreadSettings(env: Environment): readonly UnreadSetting[] {
  const known: readonly string[] = Object.keys(SETTING_NAMES);
  return Object.keys(env)
    .filter(
      (setting) => setting.startsWith('OPRC_CRM_') && !known.includes(setting) && env[setting] !== undefined,
    )
    .toSorted()
    .map((setting) => ({
      setting,
      instead: REPLACED[setting] ?? 'there is no such setting: "kubewright manager --help" lists them',
    }));
}
