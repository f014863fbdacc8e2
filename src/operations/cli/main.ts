#!/usr/bin/env node
import { prepareProcess } from '../../process-start';

prepareProcess();
void import('./run.js');
