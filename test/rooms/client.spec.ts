import { runRoom } from './room';

runRoom('client');
