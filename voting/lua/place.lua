-- Put a turn's window into its box, unless the box knows a newer one.
-- KEYS: box, ballots.  ARGV: create (1 or 0), version, epoch, opens_at, closes_at, kept for (ms).
-- A newer version unseals: no close with an older version can be committed any more.
-- Answers 1 placed or there already, 0 there is no such box.
local version = redis.call('HGET', KEYS[1], 'version')
if not version and ARGV[1] == '0' then
  return 0
end
if not version or tonumber(version) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'epoch', ARGV[3], 'opens_at', ARGV[4],
    'closes_at', ARGV[5], 'sealed', 0)
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
  redis.call('PEXPIRE', KEYS[2], ARGV[6])
end
return 1
