import { prepareProcess } from './process-start';

prepareProcess();
// The module is the process of the gateway: it starts with its import.
void import('./gateway-process.js');
