// A synthesizer as a user writes it: it reads its inputs, and prints what is to be there.
const { ENO_INPUT, COMPOSITION_NAME: name, COMPOSITION_NAMESPACE: namespace, TIER: tier } = process.env;
const { items } = JSON.parse(ENO_INPUT);
const input = items.find(({ metadata }) => metadata.annotations['eno.azure.io/input-key'] === 'settings');
const made = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { ...input.data, tier },
};
console.error('one input');
console.log(JSON.stringify({ apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items: [made] }));
