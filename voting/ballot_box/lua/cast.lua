-- Cast ballots of one turn in order. Idempotent: one ballot per voter, duplicates are recognized (deduplication).
-- A revote (change of vote) replaces the voter's earlier ballot. Late votes, after the deadline, are rejected.
-- A ballot is stored as JSON without the brackets.
-- KEYS: box, ballots, voters whose ballots arrived after a prefetch.
-- ARGV: epoch that the gateway knows; msgpack {{voter, side, column, sequence, 0, blind}, ...};
--   gateway, or 'restorer', which puts ballots back and ignores the sides' clocks;
--   number of arrivals last acknowledged to this gateway in this epoch; index of this shard, and number of shards.
-- Returns msgpack, one number per ballot, then the number of arrivals so far, and whether ballots must be stored in the
--   database (see `Storing`):
--   1 counted, 2 duplicate (counted before), 3 late, 4 unknown, 5 early, or -n: the voter's ballot with the
--   higher sequence n stays.
-- In a match with clocks, each side's own end replaces closes_at, and the box records when its ballot arrived.
-- After a loss (epoch over 1), late votes are unknown until the seal: the turn may wait for voters to return.
-- The box holds how many ballots of a side are alike, in fields 'votes:SIDE:CHOICE' (see peek.lua).
-- A box that acknowledged more arrivals than it remembers is an older copy of itself and is marked as lost.
-- Arrivals are numbered from 1. With several shards, a number is the node's time in steps of 8 microseconds, or follows
--   the one before, times 16, plus the shard: the numbers of all shards are in one order. Exact until 2112.
local ballots = cmsgpack.unpack(ARGV[2])
local acks = 'acks:' .. ARGV[3]
local box = redis.call('HMGET', KEYS[1], 'epoch', 'opens_at', 'closes_at', 'sealed', 'arrivals', 'red', 'yellow',
  'older', acks, 'red_ends_at', 'yellow_ends_at', 'stored', 'prefetch')
local ends = { red = tonumber(box[10] or 0), yellow = tonumber(box[11] or 0) }
local by_clocks = ends.red + ends.yellow > 0
local late = tonumber(box[1] or 0) > 1 and 4 or 3
local restoring = ARGV[3] == 'restorer'
local counts = { red = tonumber(box[6] or 0), yellow = tonumber(box[7] or 0) }
local arrivals, remembered = tonumber(box[5] or 0), tonumber(box[9] or 0)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last_number = tonumber(ARGV[6] or 1) > 1 and tonumber(redis.call('HGET', KEYS[1], 'last') or 0)
local all = nil
if box[1] and tonumber(box[1]) == tonumber(ARGV[1]) and remembered < tonumber(ARGV[4]) then
  redis.call('HSET', KEYS[1], 'older', 1)
  box[8] = '1'
end
local lost = not box[1] or box[8] or tonumber(box[1]) < tonumber(ARGV[1])
  or redis.call('HLEN', KEYS[2]) ~= counts.red + counts.yellow
if not lost then
  if box[4] == '1' then
    all = 3
  elseif not by_clocks and now >= tonumber(box[3]) then
    all = late
  elseif now < tonumber(box[2]) then
    all = 5
  end
end
local voters, last = {}, {}
for i = 1, #ballots do
  voters[i] = ballots[i][1]
end
local held = redis.call('HMGET', KEYS[2], unpack(voters))
for i = 1, #ballots do
  if held[i] and not last[voters[i]] then
    local side, choice, sequence = string.match(held[i], '^"(%a+)",(%d+),(%d+),')
    last[voters[i]] = { voters[i], side, tonumber(choice), tonumber(sequence) }
  end
end
local answers, taken, after, counted, at = {}, {}, {}, false, {}
local votes = { red = {}, yellow = {} }
for i = 1, #ballots do
  local ballot = ballots[i]
  local voter, side, choice, sequence = ballot[1], ballot[2], ballot[3], ballot[4]
  local before = last[voter]
  if lost then
    answers[i] = 4
  elseif before and before[4] == sequence and before[3] == choice and before[2] == side then
    answers[i] = 2
    counted = true
  elseif all then
    answers[i] = all
  elseif by_clocks and not restoring and now >= ends[side] then
    answers[i] = late
  elseif before and before[4] >= sequence then
    answers[i] = -before[4]
  else
    answers[i] = 1
    counted = true
    arrivals = arrivals + 1
    local number = arrivals
    if last_number then
      last_number = math.max(last_number + 16, math.floor((time[1] * 1000000 + time[2]) / 8) * 16 + tonumber(ARGV[5]))
      number = last_number
    end
    taken[#taken + 1] = voter
    after[#after + 1] = voter
    taken[#taken + 1] = string.format('"%s",%d,%d,%d,"%s"', side, choice, sequence, number, ballot[6])
    if before then
      counts[before[2]] = counts[before[2]] - 1
      votes[before[2]][before[3]] = (votes[before[2]][before[3]] or 0) - 1
    end
    counts[side] = counts[side] + 1
    votes[side][choice] = (votes[side][choice] or 0) + 1
    if by_clocks and not restoring then
      at[#at + 1] = side .. '_at'
      at[#at + 1] = now
    end
    last[voter] = ballot
  end
end
if #taken > 0 then
  redis.call('HSET', KEYS[2], unpack(taken))
  redis.call('HSET', KEYS[1], 'arrivals', arrivals, 'red', counts.red, 'yellow', counts.yellow, acks, arrivals)
  for side, alike in pairs(votes) do
    for choice, number in pairs(alike) do
      redis.call('HINCRBY', KEYS[1], string.format('votes:%s:%d', side, choice), number)
    end
  end
  if last_number then
    redis.call('HSET', KEYS[1], 'last', string.format('%d', last_number))
  end
  if box[13] then
    redis.call('RPUSH', KEYS[3], unpack(after))
  end
  if #at > 0 then
    redis.call('HSET', KEYS[1], unpack(at))
  end
elseif counted and remembered < arrivals then
  redis.call('HSET', KEYS[1], acks, arrivals)
end
answers[#answers + 1] = counted and arrivals or remembered
answers[#answers + 1] = box[12] == 'soon' and 2 or box[12] and 1 or 0
return cmsgpack.pack(answers)
