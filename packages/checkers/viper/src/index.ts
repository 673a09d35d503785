export { type ViperOptions } from './options.ts';
export { viper, viper as default } from './viper.ts';
