export const PAPER = {
  title: 'Online Timestamp-based Transactional Isolation Checking of Database Systems',
  authors: 'Hexu Li, Hengfeng Wei, Hongrong Ouyang, Yuxing Chen, Na Yang, Ruohao Zhang, Anqun Pan',
  venue: 'ICDE',
  year: 2025,
} as const;
