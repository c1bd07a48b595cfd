import { objectsAt, numberAt, specOf, stringAt, valueAt } from '../objects/read.ts';
import type { Evaluator } from './evaluator.ts';

const NAMES = ['count/services', 'services', 'services.loadbalancers', 'services.nodeports'];

/** Services, the ports that they take on nodes, and the load balancers. */
export const serviceEvaluator: Evaluator = {
  matching: (hard) => hard.filter((name) => NAMES.includes(name)),
  handles: ({ subresource }) => subresource === '',
  inScope: () => false,
  complaint: () => undefined,
  usage(service) {
    const spec = specOf(service);
    const type = stringAt(spec, 'type');
    const balanced = type === 'LoadBalancer';
    const ports = objectsAt(spec, 'ports');
    // Without allocation only ports with a number count.
    const numbered = balanced && valueAt(spec, 'allocateLoadBalancerNodePorts') === false;
    const counted = numbered ? ports.filter((port) => numberAt(port, 'nodePort') !== 0) : ports;
    const onNodes = balanced || type === 'NodePort' ? counted.length : 0;
    return new Map([
      ['count/services', '1'],
      ['services', '1'],
      ['services.loadbalancers', balanced ? '1' : '0'],
      ['services.nodeports', String(onNodes)],
    ]);
  },
};
