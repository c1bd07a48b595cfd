/** Environment variables, each with one line for help. */
export const SETTING_NAMES = {
  MS2M_CONSUMER_SECS: "how long a migration waits for the source pod's consumer to report; default 30",
  MS2M_STEP_SECS: 'how long one step of a handover may take before the handover is undone; default 600',
  MS2M_PAUSE_SECS: 'how long consumption may pause before a handover is undone; default 60',
  MS2M_STALL_SECS: 'switch over when the target has not caught up further for this long; default 5',
  MS2M_CUT_LAG: 'stop the source when the target lags by this many messages; default 50',
  MS2M_COPY_BYTES:
    'the largest state, in bytes, for which the source stands still until the target has it, and the target need not catch up; default 1048576',
  MS2M_MIRROR_LENGTH: 'maximum length of a mirror queue, in messages; default 1000000',
  MS2M_MAX_MIGRATIONS: 'how many pods may move at once; default 0, no limit',
  MS2M_MAX_PER_NODE: 'how many pods may move at once from or to one node; default 0, no limit',
  MS2M_AGENT_URL:
    'where the agent of a node is, as https://$(NODE):9443; default: none, so only applications of the SDK move',
  MS2M_AGENT_TOKEN: 'the token that the agents of nodes expect',
  MS2M_AGENT_CA: "a file with the CAs of the agents' certificates; default: the CAs that Node.js trusts",
  MS2M_AGENT_CLIENT_CERT:
    'a file with the certificate that the operator shows to agents; default: none, the token is enough',
  MS2M_AGENT_CLIENT_KEY: 'a file with the key of that certificate',
  MS2M_BROKERS:
    'which brokers a migration may name: a list of HOST, HOST:PORT, SCHEME://HOST:PORT, *.DOMAIN, also with $(NAMESPACE), or *; default: none',
  MS2M_REGISTRIES:
    'which registries spec.checkpointImageRepository may name: a list as MS2M_BROKERS; default: none',
} as const;
