// What every listener of Kubewright shares, so that no peer ends its process. Types of node's servers are structural: no I/O is done here.
export { detach } from './serving/detach.ts';
export { listen } from './serving/listen.ts';
export { requestListener } from './serving/request-listener.ts';
