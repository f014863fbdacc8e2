import { runRoom } from './room';

runRoom('ai');
