import { OperatorError } from '../operator-error.ts';
import { isAddressPattern } from './is-allowed-address.ts';
import type { Environment } from '../kit/operator.ts';
import { listSetting } from '../kit/list-setting.ts';
import type { SETTING_NAMES } from './setting-names.ts';

/** The settings of the process; times in seconds. */
export type Settings = {
  readonly consumer: number;
  readonly step: number;
  readonly pause: number;
  readonly stall: number;
  readonly cutLag: number;
  /** Of a state that is moved while its source stands still. */
  readonly copyBytes: number;
  readonly mirrorLength: number;
  readonly most: number;
  readonly mostPerNode: number;
  /** Where the agents of nodes are, with `$(NODE)`; empty: there are none. */
  readonly agentUrl: string;
  readonly agentToken: string;
  /** A file; empty: the CAs that Node.js trusts. */
  readonly agentCa: string;
  /** Files; empty: the token is enough. */
  readonly agentClientCert: string;
  readonly agentClientKey: string;
  /** Patterns of brokers and registries that may be named, see `isAllowedAddress`. */
  readonly brokers: readonly string[];
  readonly registries: readonly string[];
};

/** Throws `Usage` for patterns that are none. */
export function readSettings(env: Environment): Settings {
  const number = (name: keyof typeof SETTING_NAMES, fallback: number): number => {
    const given = Number(env[name] ?? fallback);
    return Number.isFinite(given) && given >= 0 ? given : fallback;
  };
  return {
    consumer: number('MS2M_CONSUMER_SECS', 30),
    step: number('MS2M_STEP_SECS', 600),
    pause: number('MS2M_PAUSE_SECS', 60),
    stall: number('MS2M_STALL_SECS', 5),
    cutLag: number('MS2M_CUT_LAG', 50),
    copyBytes: number('MS2M_COPY_BYTES', 1024 * 1024),
    mirrorLength: number('MS2M_MIRROR_LENGTH', 1_000_000),
    most: number('MS2M_MAX_MIGRATIONS', 0),
    mostPerNode: number('MS2M_MAX_PER_NODE', 0),
    agentUrl: env['MS2M_AGENT_URL'] ?? '',
    agentToken: env['MS2M_AGENT_TOKEN'] ?? '',
    agentCa: env['MS2M_AGENT_CA'] ?? '',
    agentClientCert: env['MS2M_AGENT_CLIENT_CERT'] ?? '',
    agentClientKey: env['MS2M_AGENT_CLIENT_KEY'] ?? '',
    brokers: patternsIn(env, 'MS2M_BROKERS'),
    registries: patternsIn(env, 'MS2M_REGISTRIES'),
  };
}

function patternsIn(env: Environment, name: keyof typeof SETTING_NAMES): readonly string[] {
  const patterns = listSetting(env[name]);
  const wrong = patterns.find((one) => !isAddressPattern(one));
  if (wrong === undefined) return patterns;
  throw new OperatorError('Usage', `${name}: ${wrong} is neither HOST, HOST:PORT, SCHEME://HOST:PORT nor *`);
}
