// One line per operator. The manager, the installer, the command line and the demos read them from here.
export { operator as capture } from './capture/operator.ts';
export { operator as classes } from './classes/operator.ts';
export { operator as drift } from './drift/operator.ts';
export { operator as migration } from './migration/operator.ts';
export { operator as ownership } from './ownership/operator.ts';
